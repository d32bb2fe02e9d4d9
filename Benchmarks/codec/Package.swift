// swift-tools-version: 6.2
import PackageDescription

// The room itself through a symbolic link, with the product's settings: what `package` reaches must be compiled in one
// package.
let house: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
    name: "kiosk-print-engine-codec-benchmark",
    targets: [
        .target(name: "IPPCodec", swiftSettings: house + [.strictMemorySafety()]),
        .executableTarget(name: "CodecBenchmark", dependencies: ["IPPCodec"], swiftSettings: house),
    ]
)
