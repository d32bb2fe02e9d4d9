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
        .target(name: "KioskPrintModel", swiftSettings: fuzzed),
        .target(name: "KioskIPPCodec", swiftSettings: fuzzed),
        .systemLibrary(name: "CKioskThreads"),
        .target(name: "KioskAsyncPrimitives", dependencies: ["CKioskThreads"], swiftSettings: fuzzed),
        .target(name: "KioskDurableFiles", swiftSettings: fuzzed),
        .target(name: "KnownHostsText", dependencies: ["KioskPrintModel"], swiftSettings: fuzzed),
        .target(name: "KioskQueueListings", dependencies: ["KioskPrintModel"], swiftSettings: fuzzed),
        .target(
            name: "LPDProtocol", dependencies: ["KioskPrintModel", "KioskQueueListings"], swiftSettings: fuzzed),
        .target(name: "DiscoveryCodecs", dependencies: ["KioskPrintModel"], swiftSettings: fuzzed),
        .target(name: "SNMPMessages", dependencies: ["KioskPrintModel"], swiftSettings: fuzzed),
        .target(name: "QueueText", dependencies: ["KioskPrintModel", "KioskQueueListings"], swiftSettings: fuzzed),
        .target(
            name: "KioskDevicePrinting",
            dependencies: ["KioskPrintModel", "KioskAsyncPrimitives", "KioskDurableFiles"],
            swiftSettings: fuzzed),
        .target(name: "KioskPageEncoding", dependencies: ["KioskPrintModel"], swiftSettings: fuzzed),
        .target(
            name: "KioskReceipts", dependencies: ["KioskPrintModel", "KioskPageEncoding"], swiftSettings: fuzzed),
        .target(name: "ReceiptProperties", dependencies: ["KioskReceipts"], swiftSettings: fuzzed),

        .target(name: "KioskSimulatedPaper", swiftSettings: fuzzed),
        .target(name: "KioskHelperMessages", swiftSettings: fuzzed),
        .target(
            name: "KioskDrawingMessages", dependencies: ["KioskHelperMessages", "KioskReceipts"],
            swiftSettings: fuzzed),
        .target(
            name: "KioskRenderingMessages",
            dependencies: ["KioskPrintModel", "KioskHelperMessages", "KioskPageEncoding"], swiftSettings: fuzzed),
        .target(name: "KioskPictureHeaders", swiftSettings: fuzzed),
        .target(name: "KioskTextLayout", dependencies: ["KioskReceipts"], swiftSettings: fuzzed),
        .systemLibrary(name: "CKioskPNG", pkgConfig: "libpng"),
        .systemLibrary(name: "CKioskJPEG", pkgConfig: "libturbojpeg"),
        .target(
            name: "ReceiptPictures",
            dependencies: ["KioskReceipts", "KioskDrawingMessages", "CKioskPNG", "CKioskJPEG"],
            swiftSettings: fuzzed),
        .systemLibrary(name: "CKioskOpenSSL", pkgConfig: "openssl"),
        // Defined as in ../Package.swift.
        .target(
            name: "CKioskNATS", dependencies: ["CKioskOpenSSL"], exclude: ["src/LICENSE"],
            cSettings: [
                .define("NATS_HAS_TLS"), .define("NATS_FORCE_HOST_VERIFICATION"), .define("NATS_STATIC"),
                .define("_GNU_SOURCE"), .define("_REENTRANT"), .define("LINUX"),
                .headerSearchPath("src"), .headerSearchPath("src/include"),
                .headerSearchPath("src/unix"), .headerSearchPath("src/glib"),
            ]),
        .target(name: "KioskDigests", dependencies: ["CKioskOpenSSL"], swiftSettings: fuzzed),
        .target(
            name: "KioskFleet",
            dependencies: ["KioskPrintModel", "KioskAsyncPrimitives", "KioskDigests", "CKioskNATS", "CKioskOpenSSL"],
            swiftSettings: fuzzed),

        fuzzer("FuzzFleet", of: ["KioskFleet"]),
        fuzzer("FuzzIPPDecoder", of: ["KioskIPPCodec"]),
        fuzzer("FuzzKnownHosts", of: ["KnownHostsText"]),
        fuzzer("FuzzLpq", of: ["KioskPrintModel", "KioskQueueListings", "LPDProtocol", "QueueText"]),
        fuzzer("FuzzDeviceID", of: ["KioskDevicePrinting", "KioskPrintModel"]),
        fuzzer("FuzzDiscovery", of: ["DiscoveryCodecs", "KioskPrintModel"]),
        fuzzer("FuzzDevicePrinting", of: ["KioskDevicePrinting", "KioskPrintModel"]),
        fuzzer("FuzzSNMP", of: ["SNMPMessages", "KioskPrintModel"]),
        fuzzer("FuzzPaper", of: ["KioskSimulatedPaper"]),
        fuzzer("FuzzDrawingMessages", of: ["KioskDrawingMessages"]),
        fuzzer("FuzzRenderingMessages", of: ["KioskHelperMessages", "KioskRenderingMessages"]),
        fuzzer("FuzzPictures", of: ["ReceiptPictures", "KioskDrawingMessages", "KioskReceipts"]),
        fuzzer("FuzzPictureHeaders", of: ["KioskPictureHeaders"]),
        fuzzer("FuzzTextLayout", of: ["KioskTextLayout", "KioskReceipts"]),
        fuzzer("FuzzReceiptMarkup", of: ["KioskReceipts", "ReceiptProperties"]),
        fuzzer("FuzzReceiptJSON", of: ["KioskReceipts", "ReceiptProperties"]),
    ]
)
