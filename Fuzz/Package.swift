// swift-tools-version: 6.2
import PackageDescription

// libFuzzer brings its own main, so each fuzzed target is built as a library with its entry point.
let fuzzed: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .unsafeFlags(["-sanitize=fuzzer", "-parse-as-library"]),
]

func fuzzer(_ name: String, of rooms: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: ["FuzzLoop"] + rooms, swiftSettings: fuzzed,
        linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]
    )
}

let package = Package(
    name: "kiosk-print-engine-fuzz",
    targets: [
        .target(name: "FuzzLoop", swiftSettings: fuzzed),
        // Symbolic links to the rooms themselves: what `package` reaches must be compiled in one package.
        .target(name: "PrintModel", swiftSettings: fuzzed),
        .target(name: "IPPCodec", swiftSettings: fuzzed),
        .systemLibrary(name: "CThreads"),
        .target(name: "AsyncPrimitives", dependencies: ["CThreads"], swiftSettings: fuzzed),
        .target(name: "DurableFiles", swiftSettings: fuzzed),
        .target(name: "KnownHostsText", dependencies: ["PrintModel"], swiftSettings: fuzzed),
        .target(name: "QueueText", dependencies: ["PrintModel"], swiftSettings: fuzzed),
        .target(
            name: "DevicePrinting", dependencies: ["PrintModel", "AsyncPrimitives", "DurableFiles"],
            swiftSettings: fuzzed),
        .target(name: "Receipts", dependencies: ["PrintModel"], swiftSettings: fuzzed),
        .target(name: "ReceiptProperties", dependencies: ["Receipts"], swiftSettings: fuzzed),

        .target(name: "SimulatedPaper", swiftSettings: fuzzed),
        .target(name: "DrawingMessages", dependencies: ["Receipts"], swiftSettings: fuzzed),
        .systemLibrary(name: "CPNG", pkgConfig: "libpng"),
        .systemLibrary(name: "CJPEG", pkgConfig: "libturbojpeg"),
        .target(
            name: "ReceiptPictures", dependencies: ["Receipts", "DrawingMessages", "CPNG", "CJPEG"],
            swiftSettings: fuzzed),

        fuzzer("FuzzIPPDecoder", of: ["IPPCodec"]),
        fuzzer("FuzzKnownHosts", of: ["KnownHostsText"]),
        fuzzer("FuzzLpq", of: ["PrintModel", "QueueText"]),
        fuzzer("FuzzDeviceID", of: ["DevicePrinting", "PrintModel"]),
        fuzzer("FuzzDevicePrinting", of: ["DevicePrinting", "PrintModel"]),
        fuzzer("FuzzPaper", of: ["SimulatedPaper"]),
        fuzzer("FuzzDrawingMessages", of: ["DrawingMessages"]),
        fuzzer("FuzzPictures", of: ["ReceiptPictures", "DrawingMessages", "Receipts"]),
        fuzzer("FuzzReceiptMarkup", of: ["Receipts", "ReceiptProperties"]),
        fuzzer("FuzzReceiptJSON", of: ["Receipts", "ReceiptProperties"]),
    ]
)
