// swift-tools-version: 6.2
import PackageDescription

// The room itself through a symbolic link, with the product's settings: what `package` reaches must be compiled in one
// package.
let house: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "kiosk-print-engine-codec-benchmark",
    targets: [
        .target(name: "KioskIPPCodec", swiftSettings: house + [.strictMemorySafety()]),
        .executableTarget(name: "CodecBenchmark", dependencies: ["KioskIPPCodec"], swiftSettings: house),
    ]
)
