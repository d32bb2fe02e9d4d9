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

let nio: [Target.Dependency] = [
    .product(name: "NIOCore", package: "swift-nio"),
    .product(name: "NIOPosix", package: "swift-nio"),
    .product(name: "NIOHTTP1", package: "swift-nio"),
]
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

let package = Package(
    name: "kiosk-print-engine-tls-benchmark",
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", .upToNextMinor(from: "1.16.2")),
        .package(url: "https://github.com/apple/swift-nio", .upToNextMinor(from: "2.101.2")),
    ],
    targets: [
        .target(name: "KioskPrintModel", swiftSettings: memorySafe),
        .target(name: "KioskDurableFiles", swiftSettings: house),
        .target(name: "KioskIPPCodec", swiftSettings: memorySafe),
        .systemLibrary(name: "CKioskOpenSSL", pkgConfig: "openssl"),
        .systemLibrary(name: "CKioskZLib", pkgConfig: "zlib"),
        .target(name: "KioskDigests", dependencies: ["CKioskOpenSSL"], swiftSettings: house),
        .target(
            name: "KioskTLS", dependencies: ["KioskPrintModel", "CKioskOpenSSL", "KioskDigests"] + nio,
            swiftSettings: house),
        .target(
            name: "KioskIPP",
            dependencies: [
                "KioskPrintModel", "KioskDurableFiles", "KioskIPPCodec", "KioskTLS", "KioskDigests", "CKioskZLib",
                logging,
            ] + nio,
            swiftSettings: house),
        .target(
            name: "KioskSimulatedPrinter",
            dependencies: [
                "KioskPrintModel", "KioskIPPCodec", "KioskTLS", "KioskDigests", "CKioskOpenSSL", "CKioskZLib",
            ] + nio, swiftSettings: house),
        .target(
            name: "KioskTestSupport", dependencies: ["KioskSimulatedPrinter", "CKioskZLib"], swiftSettings: house),
        .target(name: "CBareClient", dependencies: ["CKioskOpenSSL"], cSettings: [.define("_GNU_SOURCE")]),
        .executableTarget(
            name: "TLSBenchmark",
            dependencies: ["KioskPrintModel", "KioskIPPCodec", "KioskIPP", "KioskTestSupport", "CBareClient", logging],
            swiftSettings: house
        ),
    ]
)
