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
]
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

let package = Package(
    name: "kiosk-print-engine-usb-benchmark",
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", .upToNextMinor(from: "1.16.2")),
        .package(url: "https://github.com/apple/swift-nio", .upToNextMinor(from: "2.101.2")),
    ],
    targets: [
        .target(name: "PrintModel", swiftSettings: memorySafe),
        .systemLibrary(name: "CLibUSB", pkgConfig: "libusb-1.0"),
        .systemLibrary(name: "CThreads"),
        .target(name: "AsyncPrimitives", dependencies: ["CThreads"], swiftSettings: house),
        .target(name: "DurableFiles", swiftSettings: house),
        .target(
            name: "DevicePrinting", dependencies: ["PrintModel", "AsyncPrimitives", "DurableFiles"],
            swiftSettings: memorySafe),
        .target(
            name: "USB", dependencies: ["PrintModel", "AsyncPrimitives", "CLibUSB", "DevicePrinting", logging] + nio,
            swiftSettings: house),
        .executableTarget(
            name: "USBBenchmark", dependencies: ["PrintModel", "DevicePrinting", "USB"], swiftSettings: house),
    ]
)
