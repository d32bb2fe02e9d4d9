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
]
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

let package = Package(
    name: "kiosk-print-engine-usb-benchmark",
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", .upToNextMinor(from: "1.16.2")),
        .package(url: "https://github.com/apple/swift-nio", .upToNextMinor(from: "2.101.2")),
    ],
    targets: [
        .target(name: "KioskPrintModel", swiftSettings: memorySafe),
        .systemLibrary(name: "CKioskLibUSB", pkgConfig: "libusb-1.0"),
        .systemLibrary(name: "CKioskThreads"),
        .target(name: "KioskAsyncPrimitives", dependencies: ["CKioskThreads"], swiftSettings: house),
        .target(name: "KioskDurableFiles", swiftSettings: house),
        .target(
            name: "KioskDevicePrinting",
            dependencies: ["KioskPrintModel", "KioskAsyncPrimitives", "KioskDurableFiles"],
            swiftSettings: memorySafe),
        .target(
            name: "KioskUSB",
            dependencies: ["KioskPrintModel", "KioskAsyncPrimitives", "CKioskLibUSB", "KioskDevicePrinting", logging]
                + nio,
            swiftSettings: house),
        .executableTarget(
            name: "USBBenchmark", dependencies: ["KioskPrintModel", "KioskDevicePrinting", "KioskUSB"],
            swiftSettings: house),
    ]
)
