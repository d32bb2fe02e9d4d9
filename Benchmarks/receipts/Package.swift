// swift-tools-version: 6.2
import PackageDescription

// The rooms themselves through symbolic links, with the product's settings: what `package` reaches must be compiled in
// one package.
let house: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
let memorySafe: [SwiftSetting] = house + [.strictMemorySafety()]

let package = Package(
    name: "kiosk-print-engine-receipt-benchmark",
    targets: [
        .target(name: "KioskPrintModel", swiftSettings: memorySafe),
        .target(name: "KioskPageEncoding", dependencies: ["KioskPrintModel"], swiftSettings: memorySafe),
        .target(
            name: "KioskReceipts", dependencies: ["KioskPrintModel", "KioskPageEncoding"], swiftSettings: memorySafe),
        .executableTarget(name: "ReceiptBenchmark", dependencies: ["KioskReceipts"], swiftSettings: house),
    ]
)
