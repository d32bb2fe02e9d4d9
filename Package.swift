// swift-tools-version: 6.2
import PackageDescription

// What every target of this house is compiled with. In CI a warning is an error. NonisolatedNonsendingByDefault is left
// out on purpose: optimised code does not always come back to its caller's actor with it (docs/concurrency.md).
let strict = Context.environment["CI"] == "true" || Context.environment["WARNINGS_AS_ERRORS"] != nil
let house: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + (strict ? [.treatAllWarnings(as: .error)] : [])

// Rooms that touch no C are also checked for memory safety.
let memorySafe: [SwiftSetting] = house + [.strictMemorySafety()]

let nio: [Target.Dependency] = [
    .product(name: "NIOCore", package: "swift-nio"),
    .product(name: "NIOPosix", package: "swift-nio"),
    .product(name: "NIOHTTP1", package: "swift-nio"),
]
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")

/// A library: the module "Kiosk" + the folder's last name, since a package that embeds this one may have a `TLS` of its
/// own (Examples/embedding): SwiftPM wants every target's name once among all packages.
func module(_ folder: String, _ dependencies: [Target.Dependency] = [], memorySafe safe: Bool = false) -> Target {
    let name = String(folder.split(separator: "/").last!)
    return .target(
        name: name.hasPrefix("Kiosk") ? name : "Kiosk" + name, dependencies: dependencies, path: "Sources/" + folder,
        swiftSettings: safe ? memorySafe : house)
}

/// A library of the system, "CKiosk…": its module map and shims.
func cLibrary(_ name: String, pkgConfig: String? = nil, package: String? = nil) -> Target {
    .systemLibrary(
        name: "CKiosk" + name, path: "Sources/CLibraries/C" + name, pkgConfig: pkgConfig,
        providers: package.map { [.apt([$0])] })
}

/// An executable. It keeps its name, which users type.
func program(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil) -> Target {
    .executableTarget(name: name, dependencies: dependencies, resources: resources, swiftSettings: house)
}

/// What several test targets share.
func support(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: "Kiosk" + name, dependencies: dependencies, path: "Tests/" + name, swiftSettings: house)
}

/// A suite of tests. Another package never loads it, so it needs no prefix.
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: house)
}

let package = Package(
    name: "kiosk-print-engine",
    products: [
        .executable(name: "kioskd", targets: ["kioskd"]),
        .executable(name: "kiosk-draw", targets: ["kiosk-draw"]),
        .executable(name: "kiosk-render", targets: ["kiosk-render"]),
        .executable(name: "kioskctl", targets: ["kioskctl"]),
        .executable(name: "kioskctl-simulate", targets: ["kioskctl-simulate"]),
        .executable(name: "kioskctl-fleet", targets: ["kioskctl-fleet"]),
        .library(name: "KioskPrintEngine", targets: ["KioskPrintEngine"]),
        .library(name: "KioskAPI", targets: ["KioskAPI"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", .upToNextMinor(from: "1.8.2")),
        .package(url: "https://github.com/apple/swift-log", .upToNextMinor(from: "1.16.2")),
        .package(url: "https://github.com/apple/swift-metrics.git", .upToNextMinor(from: "2.13.0")),
        .package(url: "https://github.com/apple/swift-nio", .upToNextMinor(from: "2.101.2")),
        .package(url: "https://github.com/groue/GRDB.swift", .upToNextMinor(from: "7.10.0")),
        .package(url: "https://github.com/hummingbird-project/hummingbird", .upToNextMinor(from: "2.28.1"), traits: []),
        .package(url: "https://github.com/jpsim/Yams", .upToNextMinor(from: "6.2.2")),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", .upToNextMinor(from: "2.13.0")),
    ],
    targets: [
        // The vocabulary, and what every room may stand on.
        module("PrintModel", memorySafe: true),
        module("DurableFiles"),
        module("AsyncPrimitives", ["CKioskThreads"]),
        module("Digests", ["CKioskOpenSSL"]),

        // C libraries of the system: module maps and shims, nothing else.
        cLibrary("OpenSSL", pkgConfig: "openssl", package: "libssl-dev"),
        // Its headers alone: kioskctl loads the library when it connects to a host over TLS.
        cLibrary("OpenSSLLoader", package: "libssl-dev"),
        cLibrary("ZLib", pkgConfig: "zlib", package: "zlib1g-dev"),
        cLibrary("Zint", package: "libzint-dev"),
        cLibrary("LibSSH2", pkgConfig: "libssh2", package: "libssh2-1-dev"),
        cLibrary("LibUSB", pkgConfig: "libusb-1.0", package: "libusb-1.0-0-dev"),
        cLibrary("Pango", pkgConfig: "pangocairo", package: "libpango1.0-dev"),
        cLibrary("PNG", pkgConfig: "libpng", package: "libpng-dev"),
        cLibrary("JPEG", pkgConfig: "libturbojpeg", package: "libturbojpeg0-dev"),
        cLibrary("TIFF", pkgConfig: "libtiff-4", package: "libtiff-dev"),
        cLibrary("WebP", pkgConfig: "libwebp", package: "libwebp-dev"),
        cLibrary("Sandbox", pkgConfig: "libseccomp", package: "libseccomp-dev"),
        // Its headers alone: the library is loaded when printers are looked for on the network.
        cLibrary("Avahi", package: "libavahi-client-dev"),
        // Declarations alone: the library is loaded by the program that draws pages.
        cLibrary("PDFium"),
        cLibrary("Linux"),
        // No module map of the system's but a source file: an object that the linker prefers to the archive's.
        .target(name: "CKioskEmptyICU", path: "Sources/CLibraries/CEmptyICU"),
        // NATS's C client, its own sources.
        .target(
            name: "CKioskNATS", dependencies: ["CKioskOpenSSL"], path: "Sources/CLibraries/CNATS",
            exclude: ["src/LICENSE"],
            cSettings: [
                .define("NATS_HAS_TLS"), .define("NATS_FORCE_HOST_VERIFICATION"), .define("NATS_STATIC"),
                .define("_GNU_SOURCE"), .define("_REENTRANT"), .define("LINUX"),
                .define("_FORTIFY_SOURCE", to: "2", .when(configuration: .release)),
                .headerSearchPath("src"), .headerSearchPath("src/include"),
                .headerSearchPath("src/unix"), .headerSearchPath("src/glib"),
            ]),
        cLibrary("Threads"),

        // Saved printers, roles and profiles.
        module("PrinterRegistry", ["KioskPrintModel", "KioskDurableFiles", "Yams"]),

        // Transports: one folder each, none knows another. (SwiftPM needs `path:` for nested targets.)
        module("Transports/IPPCodec", memorySafe: true),
        module("Transports/TLS", ["KioskPrintModel", "CKioskOpenSSL", "KioskDigests"] + nio),
        module(
            "Transports/IPP",
            [
                "KioskPrintModel", "KioskDurableFiles", "KioskIPPCodec", "KioskTLS", "KioskDigests", "CKioskZLib",
                logging,
            ] + nio),
        module(
            "Transports/SSH", ["KioskPrintModel", "KioskDurableFiles", "CKioskLibSSH2", "KioskDigests", logging] + nio),
        module("Transports/QueueListings", ["KioskPrintModel"], memorySafe: true),
        module("Transports/SSHLpr", ["KioskPrintModel", "KioskSSH", "KioskQueueListings", logging] + nio),
        module("Transports/LPD", ["KioskPrintModel", "KioskDurableFiles", "KioskQueueListings", logging] + nio),
        module(
            "Transports/DevicePrinting", ["KioskPrintModel", "KioskAsyncPrimitives", "KioskDurableFiles"],
            memorySafe: true),
        module(
            "Transports/USB",
            [
                "KioskPrintModel", "KioskAsyncPrimitives", "KioskDurableFiles", "CKioskLibUSB", "KioskDevicePrinting",
                logging,
            ] + nio),

        module(
            "Transports/Socket",
            ["KioskPrintModel", "KioskAsyncPrimitives", "KioskDigests", "KioskDevicePrinting", logging] + nio),
        module("Transports/Serial", ["KioskPrintModel", "KioskAsyncPrimitives", "KioskDevicePrinting"]),
        // Beside a transport to office printers: what their SNMP agents say.
        module("Transports/SNMP", ["KioskPrintModel"] + nio, memorySafe: true),

        // What service managers say to services and hear from them: notifications, watchdog, sockets.
        module("ServiceManager", ["CKioskLinux"]),

        // Tokens, sessions, one-time codes and the audit: who may come in by the network.
        module("Access", ["KioskPrintModel", "KioskDurableFiles", "KioskDigests", logging]),

        // Printers on the network, saved or not.
        module("Discovery", ["KioskPrintModel", "KioskAsyncPrimitives", "CKioskAvahi"] + nio),

        // Rows of pixels in the languages that printers take pages in: bytes, no sockets.
        module("PageEncoding", ["KioskPrintModel"], memorySafe: true),
        // Sandboxed programs that the daemon starts for work on what callers sent: messages, the process, its sandbox.
        module("HelperMessages", memorySafe: true),
        module("HelperProcesses", ["KioskAsyncPrimitives", "KioskHelperMessages", "CKioskLinux"]),
        module("HelperSandbox", ["KioskHelperMessages", "CKioskSandbox"]),

        // What a receipt says, how it is laid out, and the printers' languages: bytes and pixels, no sockets.
        module("Receipts", ["KioskPrintModel", "KioskPageEncoding"], memorySafe: true),
        // Lines of text in every script, for the two programs that draw.
        module("TextShaping", ["KioskReceipts", "CKioskPango"]),
        // What no printer draws itself: in a process of its own (`kiosk-draw`), since it runs C on what callers sent.
        module("DrawingMessages", ["KioskHelperMessages", "KioskReceipts"], memorySafe: true),
        module(
            "ReceiptDrawing",
            [
                "KioskReceipts", "KioskDrawingMessages", "KioskTextShaping", "CKioskPango", "CKioskPNG", "CKioskJPEG",
                "CKioskZint",
            ]),
        module(
            "DrawingService",
            [
                "KioskAsyncPrimitives", "KioskHelperMessages", "KioskHelperProcesses", "KioskReceipts",
                "KioskDrawingMessages",
            ]),
        // Receipts on their way through the engine: read, and made into what the chosen printer takes.
        module("ReceiptPrinting", ["KioskPrintModel", "KioskReceipts", "KioskDrawingService"], memorySafe: true),

        // What shows how a printer is set up: markup and PDF, as callers could send them.
        module("TestPrints", ["KioskPrintModel"], memorySafe: true),

        // Pages of documents: drawn and encoded in a process of its own (`kiosk-render`).
        module(
            "RenderingMessages", ["KioskPrintModel", "KioskHelperMessages", "KioskPageEncoding"], memorySafe: true),
        // What files say before their pixels, and text on pages of cells.
        module("PictureHeaders", memorySafe: true),
        module("TextLayout", ["KioskReceipts"], memorySafe: true),
        module(
            "PageRendering",
            [
                "KioskPrintModel", "KioskRenderingMessages", "KioskPageEncoding", "KioskPictureHeaders",
                "KioskTextLayout",
                "KioskTextShaping", "CKioskPango", "CKioskPDFium", "CKioskPNG", "CKioskTIFF", "CKioskWebP",
            ]),
        module(
            "RenderingService",
            [
                "KioskAsyncPrimitives", "KioskHelperMessages", "KioskHelperProcesses", "KioskRenderingMessages",
                "KioskPageEncoding", "CKioskLinux",
            ]),
        // Documents of pages: what lies where on which sheet. No pixels.
        module("Documents", ["KioskPrintModel"], memorySafe: true),
        // PDF files, pictures and text on their way through the engine: planned, and drawn in processes of their own.
        module(
            "DocumentPrinting",
            [
                "KioskPrintModel", "KioskAsyncPrimitives", "KioskDocuments", "KioskPageEncoding", "KioskPictureHeaders",
                "KioskReceipts", "KioskReceiptPrinting", "KioskRenderingMessages", "KioskRenderingService",
                "CKioskLinux", "CKioskZLib",
            ]),

        // The engine, and what programs talk to it with.
        module(
            "KioskEngine",
            [
                "KioskPrintModel", "KioskPrinterRegistry", "KioskAsyncPrimitives", "KioskDurableFiles", "KioskDigests",
                logging, lifecycle, .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
        // Metrics as Prometheus reads them: text alone.
        module("PrometheusText", memorySafe: true),
        // What the engine does, counted and timed for Prometheus.
        module(
            "Metrics",
            [
                "KioskPrintModel", "KioskEngine", "KioskPrometheusText",
                .product(name: "CoreMetrics", package: "swift-metrics"),
            ],
            memorySafe: true),
        // The API's messages and calls, without I/O: what the daemon and its clients share.
        module("APIMessages", ["KioskPrintModel"]),
        // What kiosks and offices share in a fleet: the hub's names, streams and messages, and the connection to it over
        // libnats.
        module(
            "Fleet", ["KioskPrintModel", "KioskAsyncPrimitives", "KioskDigests", "CKioskNATS", "CKioskOpenSSL"]),
        // A small file of SQLite for records that stand beside the queue.
        module("RecordFile", [.product(name: "GRDB", package: "GRDB.swift")]),
        // What takes a fleet's jobs and reports them, beside an engine that it does not know; its records are SQLite's.
        module(
            "FleetAgent",
            [
                "KioskPrintModel", "KioskAsyncPrimitives", "KioskDurableFiles", "KioskRecordFile", "KioskFleet",
                logging, .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        // What a kiosk keeps for its partner, in SQLite, and whether that is there.
        module("Standby", ["KioskRecordFile", .product(name: "GRDB", package: "GRDB.swift")]),
        // Export files: printers, roles and trust, and the secrets encrypted with a passphrase.
        module("Backup", ["KioskPrintModel", "KioskAPIMessages", "CKioskOpenSSL"]),
        // The admin page: values in, HTML out. Its files are part of the program.
        .target(
            name: "KioskAdminPage", dependencies: ["KioskPrintModel", "KioskAPIMessages"],
            path: "Sources/AdminPage",
            resources: [
                .embedInCode("Assets/page.css"), .embedInCode("Assets/page.js"), .embedInCode("Assets/icons.svg"),
                .embedInCode("Assets/add.js"), .embedInCode("Assets/receipt.js"), .embedInCode("Assets/login.js"),
                .embedInCode("Assets/icon.svg"), .embedInCode("Texts/en.json"), .embedInCode("Texts/de.json"),
            ], swiftSettings: house),
        // The client for other programs, which exports the messages.
        module("KioskAPI", ["KioskPrintModel", "KioskAPIMessages", "KioskTLS"] + nio),

        // What another package imports to embed the engine (docs/embedding.md): everything above, in one import.
        module(
            "KioskPrintEngine",
            [
                "KioskPrintModel", "KioskPrinterRegistry", "KioskIPP", "KioskSSHLpr", "KioskUSB",
                "KioskSocket", "KioskSerial", "KioskLPD", "KioskSNMP", "KioskReceiptPrinting",
                "KioskDocumentPrinting", "KioskEngine", logging,
            ]),

        // The programs.
        module(
            "SimulatedPrinter",
            ["KioskPrintModel", "KioskIPPCodec", "KioskTLS", "KioskDigests", "CKioskZLib"] + nio),
        // What printers put on paper: read without any of our encoders' code, so that one checks the other. C only
        // draws the pictures.
        module("SimulatedPaper", memorySafe: true),
        module("PaperPictures", ["KioskSimulatedPaper", "CKioskZLib", "CKioskZint"]),
        program(
            "kioskd",
            [
                "KioskPrintModel", "KioskPrinterRegistry", "KioskDigests", "KioskDurableFiles", "CKioskLinux",
                "KioskAsyncPrimitives", "KioskTLS", "KioskIPP", "KioskSSH", "KioskSSHLpr", "KioskLPD", "KioskUSB",
                "KioskSocket",
                "KioskSerial", "KioskSNMP",
                "KioskDiscovery", "KioskAccess", "KioskBackup", "KioskDrawingService", "KioskHelperProcesses",
                "KioskReceiptPrinting", "KioskDocumentPrinting", "KioskRenderingService", "KioskTestPrints",
                "KioskEngine", "KioskMetrics", "KioskPrometheusText", "KioskAPI", "KioskAdminPage",
                "KioskServiceManager", "KioskFleet", "KioskFleetAgent", "KioskStandby", "CKioskEmptyICU", logging,
                lifecycle, argumentParser,
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ], resources: [.embedInCode("OpenAPI/openapi.json"), .embedInCode("Browser/kiosk.js")]),
        program("kiosk-draw", ["KioskDrawingMessages", "KioskReceiptDrawing", "KioskHelperSandbox"]),
        program(
            "kiosk-render",
            [
                "KioskHelperMessages", "KioskHelperSandbox", "KioskRenderingMessages", "KioskPageRendering",
                "KioskTextShaping",
            ]),
        module("Terminal", ["KioskPrintModel", argumentParser]),
        // The client of a program that lives for one call: no event loop, no threads.
        module("BlockingClient", ["KioskPrintModel", "KioskAPIMessages", "CKioskOpenSSLLoader"]),
        program(
            "kioskctl", ["KioskPrintModel", "KioskAPIMessages", "KioskBlockingClient", "KioskTerminal", argumentParser]),
        // `kioskctl simulate`: apart, since kioskctl must start without loading OpenSSL.
        program(
            "kioskctl-simulate",
            [
                "KioskPrintModel", "KioskSimulatedPrinter", "KioskSimulatedPaper", "KioskPaperPictures",
                "KioskTerminal", argumentParser,
            ]),
        // `kioskctl fleet`: apart for the same reason, since libnats brings OpenSSL. Its simulated kiosks have kioskd's agent.
        program(
            "kioskctl-fleet",
            [
                "KioskPrintModel", "KioskPrinterRegistry", "KioskAsyncPrimitives", "KioskDurableFiles", "KioskFleet",
                "KioskFleetAgent", "KioskPrometheusText", "KioskTerminal", "CKioskEmptyICU", logging, argumentParser,
            ] + nio),

        // Tests: a suite per room, and the peers they share.
        support("TestSupport", ["KioskPrintModel", "KioskSimulatedPrinter", "CKioskZLib"] + nio),
        support("DaemonSupport", ["KioskPrintModel", "KioskAPI", "KioskTestSupport"]),
        tests("RegistryTests", ["KioskPrintModel", "KioskPrinterRegistry", "KioskDurableFiles", "KioskTestSupport"]),
        tests(
            "TransportTests",
            [
                "KioskPrintModel", "KioskIPPCodec", "KioskTLS", "KioskDigests", "KioskIPP", "KioskSSH", "KioskSSHLpr",
                "KioskQueueListings", "KioskLPD", "KioskDevicePrinting", "KioskSocket", "KioskSerial", "KioskSNMP",
                "KioskSimulatedPrinter", "KioskTestSupport",
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ] + nio),
        tests(
            "FleetTests",
            [
                "KioskPrintModel", "KioskAPI", "KioskFleet", "KioskFleetAgent", "KioskStandby", "KioskPrometheusText",
                "KioskSimulatedPrinter", "KioskDaemonSupport", "KioskTestSupport", "kioskd", "kioskctl",
                "kioskctl-fleet", argumentParser,
                logging,
            ]),
        tests("BackupTests", ["KioskPrintModel", "KioskAPIMessages", "KioskBackup"]),
        tests("AccessTests", ["KioskPrintModel", "KioskAccess", "KioskTestSupport", logging]),
        tests("DiscoveryTests", ["KioskPrintModel", "KioskDiscovery", "KioskTestSupport"] + nio),
        tests(
            "ReceiptTests",
            [
                "KioskPrintModel", "KioskPrinterRegistry", "KioskReceipts", "KioskReceiptPrinting", "KioskTestPrints",
                "KioskDrawingMessages", "KioskReceiptDrawing", "KioskSimulatedPaper", "KioskPaperPictures",
                "KioskTestSupport",
            ]),
        tests("DocumentTests", ["KioskPrintModel", "KioskDocuments", "KioskTestSupport"]),
        tests(
            "DocumentPrintingTests",
            [
                "KioskPrintModel", "KioskDocuments", "KioskDocumentPrinting", "KioskPageEncoding", "KioskReceipts",
                "KioskRenderingService", "kiosk-render", "KioskSimulatedPaper", "KioskPaperPictures",
                "KioskTestSupport",
            ]),
        tests(
            "USBTests",
            [
                "KioskPrintModel", "KioskAsyncPrimitives", "KioskDurableFiles", "KioskDevicePrinting", "KioskUSB",
                "KioskIPP", "KioskSimulatedPrinter", "KioskTestSupport", logging,
            ] + nio),
        tests(
            "EngineTests",
            [
                "KioskPrintModel", "KioskPrinterRegistry", "KioskAsyncPrimitives", "KioskDurableFiles", "KioskEngine",
                "KioskPrintEngine", "KioskIPP", "KioskSimulatedPrinter", "KioskTestSupport", logging,
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        tests(
            "MetricsTests",
            [
                "KioskPrintModel", "KioskEngine", "KioskMetrics", "KioskPrometheusText", "KioskTestSupport",
                .product(name: "CoreMetrics", package: "swift-metrics"),
            ]),
        tests("AdminPageTests", ["KioskPrintModel", "KioskAPIMessages", "KioskAdminPage"]),
        // The client API, and the programs that use it.
        tests(
            "ClientTests",
            [
                "KioskPrintModel", "KioskAPIMessages", "KioskAPI", "KioskBlockingClient", "KioskTerminal",
                "KioskSimulatedPrinter", "KioskTestSupport", "KioskDaemonSupport", "kioskctl", "kioskctl-simulate",
                argumentParser,
            ]),
        tests(
            "DaemonTests",
            [
                "KioskPrintModel", "KioskPrinterRegistry", "KioskEngine", "KioskMetrics", "KioskPrometheusText",
                "KioskAPIMessages", "KioskAPI",
                "KioskAccess", "KioskSimulatedPrinter", "KioskSimulatedPaper", "KioskPaperPictures",
                "KioskTestSupport", "KioskDaemonSupport", "KioskServiceManager", "kioskd",
                "kiosk-draw", "kioskctl", "kioskctl-simulate", "kioskctl-fleet", logging,
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ] + nio),
        tests(
            "PageEncodingTests",
            ["KioskPrintModel", "KioskPageEncoding", "KioskSimulatedPaper", "KioskTestSupport"]),
        tests("PaperTests", ["KioskSimulatedPaper", "KioskPaperPictures", "KioskTestSupport", "CKioskZLib"]),
        tests(
            "DrawingTests",
            [
                "KioskPrintModel", "KioskReceipts", "KioskHelperMessages", "KioskHelperProcesses",
                "KioskDrawingMessages", "KioskReceiptDrawing",
                "KioskDrawingService", "kiosk-draw", "CKioskPNG", "CKioskJPEG", "KioskTestSupport",
            ]),
        tests(
            "RenderingTests",
            [
                "KioskPrintModel", "KioskAsyncPrimitives", "KioskHelperMessages", "KioskHelperProcesses",
                "KioskPageEncoding", "KioskRenderingMessages", "KioskPageRendering", "KioskRenderingService",
                "KioskDocuments", "KioskSimulatedPaper", "KioskPaperPictures", "KioskTextLayout", "KioskPictureHeaders",
                "kiosk-render", "CKioskJPEG", "CKioskPNG", "CKioskTIFF", "CKioskWebP", "KioskTestSupport",
            ]),
        tests(
            "FaultTests",
            [
                "KioskPrintModel", "KioskAPI", "KioskEngine", "KioskSimulatedPrinter", "KioskTestSupport",
                "KioskDaemonSupport", "kioskd",
            ]),
    ]
)
