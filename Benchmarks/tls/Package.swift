// swift-tools-version: 6.2
import PackageDescription

// The rooms themselves through symbolic links, with the product's settings: what `package` reaches must be compiled in
// one package.
let house: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
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
        .target(name: "PrintModel", swiftSettings: memorySafe),
        .target(name: "DurableFiles", swiftSettings: house),
        .target(name: "IPPCodec", swiftSettings: memorySafe),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl"),
        .systemLibrary(name: "CZLib", pkgConfig: "zlib"),
        .target(name: "Digests", dependencies: ["COpenSSL"], swiftSettings: house),
        .target(name: "TLS", dependencies: ["PrintModel", "COpenSSL", "Digests"] + nio, swiftSettings: house),
        .target(
            name: "IPP",
            dependencies: ["PrintModel", "DurableFiles", "IPPCodec", "TLS", "Digests", "CZLib", logging] + nio,
            swiftSettings: house),
        .target(name: "TestSupport", swiftSettings: house),
        .target(name: "CFloor", dependencies: ["COpenSSL"], cSettings: [.define("_GNU_SOURCE")]),
        .executableTarget(
            name: "TLSBenchmark", dependencies: ["PrintModel", "IPPCodec", "IPP", "TestSupport", "CFloor", logging],
            swiftSettings: house
        ),
    ]
)
