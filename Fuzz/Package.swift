// swift-tools-version: 6.2
import PackageDescription

// libFuzzer brings its own main, so each fuzzed target is built as a library with its entry point.
let fuzzed: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .unsafeFlags(["-sanitize=fuzzer", "-parse-as-library"]),
]

let package = Package(
    name: "kiosk-print-engine-fuzz",
    targets: [
        // Symbolic links to the rooms themselves: what `package` reaches must be compiled in one package.
        .target(name: "IPPCodec", swiftSettings: fuzzed),
        .executableTarget(
            name: "FuzzIPPDecoder",
            dependencies: ["IPPCodec"],
            swiftSettings: fuzzed,
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]
        ),
        .target(name: "KnownHostsText", swiftSettings: fuzzed),
        .executableTarget(
            name: "FuzzKnownHosts",
            dependencies: ["KnownHostsText"],
            swiftSettings: fuzzed,
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]
        ),
        .target(name: "PrintModel", swiftSettings: fuzzed),
        .target(name: "DeviceStatus", dependencies: ["PrintModel"], swiftSettings: fuzzed),
        .executableTarget(
            name: "FuzzDeviceID",
            dependencies: ["DeviceStatus", "PrintModel"],
            swiftSettings: fuzzed,
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]
        ),
        .executableTarget(
            name: "FuzzDeviceStatus",
            dependencies: ["DeviceStatus", "PrintModel"],
            swiftSettings: fuzzed,
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]
        ),
        .target(name: "QueueText", dependencies: ["PrintModel"], swiftSettings: fuzzed),
        .executableTarget(
            name: "FuzzLpq",
            dependencies: ["PrintModel", "QueueText"],
            swiftSettings: fuzzed,
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]
        ),
    ]
)
