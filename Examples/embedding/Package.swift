// swift-tools-version: 6.2
import PackageDescription

// A till that prints without a daemon: another package, which embeds the engine. Its modules bear names that the
// engine's might have had; every module of the engine begins with "Kiosk" or "CKiosk", so they may.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "till",
    dependencies: [
        // The engine's clone.
        .package(name: "kiosk-print-engine", path: "../..")
    ],
    targets: [
        .target(name: "Digests", swiftSettings: strict),
        .target(name: "TLS", swiftSettings: strict),
        .target(name: "Terminal", swiftSettings: strict),
        .target(name: "USB", swiftSettings: strict),
        .executableTarget(
            name: "till",
            dependencies: [
                "Digests", "TLS", "Terminal", "USB",
                .product(name: "KioskPrintEngine", package: "kiosk-print-engine"),
            ], swiftSettings: strict),
    ]
)
