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

let package = Package(
    name: "kiosk-print-engine",
    products: [
        .executable(name: "kioskd", targets: ["kioskd"]),
        .executable(name: "kiosk-draw", targets: ["kiosk-draw"]),
        .executable(name: "kioskctl", targets: ["kioskctl"]),
        .executable(name: "kioskctl-simulate", targets: ["kioskctl-simulate"]),
        .library(
            name: "KioskEngine",
            targets: ["KioskEngine", "PrinterRegistry", "PrintModel", "ReceiptPrinting", "IPP", "SSHLpr", "USB"]),
        .library(name: "KioskAPI", targets: ["KioskAPI", "PrintModel"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", .upToNextMinor(from: "1.8.2")),
        .package(url: "https://github.com/apple/swift-log", .upToNextMinor(from: "1.16.2")),
        .package(url: "https://github.com/apple/swift-nio", .upToNextMinor(from: "2.101.2")),
        .package(url: "https://github.com/groue/GRDB.swift", .upToNextMinor(from: "7.10.0")),
        .package(url: "https://github.com/hummingbird-project/hummingbird", .upToNextMinor(from: "2.28.1"), traits: []),
        .package(url: "https://github.com/jpsim/Yams", .upToNextMinor(from: "6.2.2")),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", .upToNextMinor(from: "2.13.0")),
    ],
    targets: [
        // The vocabulary, and what every room may stand on.
        .target(name: "PrintModel", swiftSettings: memorySafe),
        .target(name: "DurableFiles", swiftSettings: house),
        .target(name: "AsyncPrimitives", dependencies: ["CThreads"], swiftSettings: house),

        // The system's C libraries: module maps and shims, nothing else.
        .systemLibrary(
            name: "COpenSSL", path: "Sources/CLibraries/COpenSSL", pkgConfig: "openssl",
            providers: [.apt(["libssl-dev"])]
        ),
        .systemLibrary(
            name: "CZLib", path: "Sources/CLibraries/CZLib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]
        ),
        .systemLibrary(name: "CZint", path: "Sources/CLibraries/CZint", providers: [.apt(["libzint-dev"])]),
        .systemLibrary(
            name: "CLibSSH2", path: "Sources/CLibraries/CLibSSH2", pkgConfig: "libssh2",
            providers: [.apt(["libssh2-1-dev"])]
        ),
        .systemLibrary(
            name: "CLibUSB", path: "Sources/CLibraries/CLibUSB", pkgConfig: "libusb-1.0",
            providers: [.apt(["libusb-1.0-0-dev"])]
        ),
        .systemLibrary(
            name: "CPango", path: "Sources/CLibraries/CPango", pkgConfig: "pangocairo",
            providers: [.apt(["libpango1.0-dev"])]
        ),
        .systemLibrary(
            name: "CPNG", path: "Sources/CLibraries/CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
        .systemLibrary(
            name: "CJPEG", path: "Sources/CLibraries/CJPEG", pkgConfig: "libturbojpeg",
            providers: [.apt(["libturbojpeg0-dev"])]
        ),
        .systemLibrary(
            name: "CSandbox", path: "Sources/CLibraries/CSandbox", pkgConfig: "libseccomp",
            providers: [.apt(["libseccomp-dev"])]
        ),
        .systemLibrary(name: "CLinux", path: "Sources/CLibraries/CLinux"),
        .systemLibrary(name: "CThreads", path: "Sources/CLibraries/CThreads"),
        .target(name: "Digests", dependencies: ["COpenSSL"], swiftSettings: house),

        // Saved printers, roles and profiles.
        .target(
            name: "PrinterRegistry",
            dependencies: ["PrintModel", "DurableFiles", "Yams"],
            swiftSettings: house
        ),

        // Transports: one folder each, none knows another. (SwiftPM needs `path:` for nested targets.)
        .target(name: "IPPCodec", path: "Sources/Transports/IPPCodec", swiftSettings: memorySafe),
        .target(
            name: "TLS",
            dependencies: ["PrintModel", "COpenSSL", "Digests"] + nio,
            path: "Sources/Transports/TLS",
            swiftSettings: house
        ),
        .target(
            name: "IPP",
            dependencies: ["PrintModel", "DurableFiles", "IPPCodec", "TLS", "Digests", "CZLib", logging] + nio,
            path: "Sources/Transports/IPP",
            swiftSettings: house
        ),
        .target(
            name: "SSH",
            dependencies: ["PrintModel", "DurableFiles", "CLibSSH2", "Digests", logging] + nio,
            path: "Sources/Transports/SSH",
            swiftSettings: house
        ),
        .target(
            name: "SSHLpr",
            dependencies: ["PrintModel", "SSH", logging] + nio,
            path: "Sources/Transports/SSHLpr",
            swiftSettings: house
        ),

        .target(
            name: "DevicePrinting",
            dependencies: ["PrintModel", "AsyncPrimitives", "DurableFiles"],
            path: "Sources/Transports/DevicePrinting",
            swiftSettings: memorySafe
        ),

        .target(
            name: "USB",
            dependencies: ["PrintModel", "AsyncPrimitives", "CLibUSB", "DevicePrinting", logging] + nio,
            path: "Sources/Transports/USB",
            swiftSettings: house
        ),

        // What a receipt says, how it is laid out, and the printers' languages: bytes and pixels, no sockets.
        .target(name: "Receipts", dependencies: ["PrintModel"], swiftSettings: memorySafe),
        // What no printer draws itself: in a process of its own (`kiosk-draw`), since it runs C on what callers sent.
        .target(name: "DrawingMessages", dependencies: ["Receipts"], swiftSettings: memorySafe),
        .target(
            name: "ReceiptDrawing", dependencies: ["Receipts", "DrawingMessages", "CPango", "CPNG", "CJPEG", "CZint"],
            swiftSettings: house),
        .target(
            name: "DrawingService", dependencies: ["AsyncPrimitives", "Receipts", "DrawingMessages"],
            swiftSettings: house),
        // Receipts on their way through the engine: read, and made into what the chosen printer takes.
        .target(
            name: "ReceiptPrinting", dependencies: ["PrintModel", "Receipts", "DrawingService"],
            swiftSettings: memorySafe),

        // The engine, and what programs talk to it with.
        .target(
            name: "KioskEngine",
            dependencies: [
                "PrintModel", "PrinterRegistry", "AsyncPrimitives", "DurableFiles", "Digests", logging, lifecycle,
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: house
        ),
        .target(name: "KioskAPI", dependencies: ["PrintModel"] + nio, swiftSettings: house),

        // The programs.
        .target(
            name: "SimulatedPrinter",
            dependencies: ["PrintModel", "IPPCodec", "TLS", "Digests", "COpenSSL", "CZLib"] + nio,
            swiftSettings: house
        ),
        // What printers put on paper: read without any of our encoders' code, so that one checks the other. C only
        // draws the pictures.
        .target(name: "SimulatedPaper", swiftSettings: memorySafe),
        .target(name: "PaperPictures", dependencies: ["SimulatedPaper", "CZLib", "CZint"], swiftSettings: house),
        .executableTarget(
            name: "kioskd",
            dependencies: [
                "PrintModel", "PrinterRegistry", "DurableFiles", "CLinux", "TLS", "IPP", "SSH", "SSHLpr", "USB",
                "DrawingService", "ReceiptPrinting",
                "KioskEngine", "KioskAPI", logging, lifecycle, argumentParser,
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ],
            resources: [.embedInCode("OpenAPI/openapi.json")],
            swiftSettings: house
        ),
        .executableTarget(
            name: "kiosk-draw", dependencies: ["DrawingMessages", "ReceiptDrawing", "CSandbox"], swiftSettings: house),
        .target(name: "Terminal", dependencies: ["PrintModel"], swiftSettings: house),
        .executableTarget(
            name: "kioskctl",
            dependencies: ["PrintModel", "KioskAPI", "Terminal", argumentParser],
            swiftSettings: house
        ),
        // `kioskctl simulate`: apart, since kioskctl must start without loading OpenSSL.
        .executableTarget(
            name: "kioskctl-simulate",
            dependencies: [
                "PrintModel", "SimulatedPrinter", "SimulatedPaper", "PaperPictures", "Terminal", argumentParser,
            ],
            swiftSettings: house
        ),

        // Tests: a suite per room, and the peers they share.
        .target(
            name: "TestSupport", dependencies: ["SimulatedPrinter", "CZLib"], path: "Tests/TestSupport",
            swiftSettings: house),
        .target(
            name: "DaemonSupport", dependencies: ["PrintModel", "KioskAPI", "TestSupport"], path: "Tests/DaemonSupport",
            swiftSettings: house
        ),
        .testTarget(
            name: "RegistryTests",
            dependencies: ["PrintModel", "PrinterRegistry", "DurableFiles", "TestSupport"],
            swiftSettings: house
        ),
        .testTarget(
            name: "TransportTests",
            dependencies: [
                "PrintModel", "IPPCodec", "TLS", "Digests", "IPP", "SSH", "SSHLpr", "DevicePrinting",
                "SimulatedPrinter", "TestSupport",
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ] + nio,
            swiftSettings: house
        ),
        .testTarget(
            name: "ReceiptTests",
            dependencies: [
                "PrintModel", "PrinterRegistry", "Receipts", "ReceiptPrinting", "DrawingMessages", "ReceiptDrawing",
                "SimulatedPaper",
                "PaperPictures", "TestSupport",
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "USBTests",
            dependencies: [
                "PrintModel", "AsyncPrimitives", "DevicePrinting", "USB", "IPP", "SimulatedPrinter", "TestSupport",
                logging,
            ] + nio,
            swiftSettings: house
        ),
        .testTarget(
            name: "EngineTests",
            dependencies: [
                "PrintModel", "PrinterRegistry", "AsyncPrimitives", "DurableFiles", "KioskEngine", "IPP",
                "SimulatedPrinter", "TestSupport", logging,
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "DaemonTests",
            dependencies: [
                "PrintModel", "PrinterRegistry", "KioskEngine", "KioskAPI", "SimulatedPrinter", "SimulatedPaper",
                "PaperPictures", "TestSupport",
                "DaemonSupport", "kioskd", "kiosk-draw", "kioskctl", "kioskctl-simulate", "Terminal", argumentParser,
                logging,
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "PaperTests", dependencies: ["SimulatedPaper", "PaperPictures", "TestSupport", "CZLib"],
            swiftSettings: house
        ),
        .testTarget(
            name: "DrawingTests",
            dependencies: [
                "PrintModel", "Receipts", "DrawingMessages", "ReceiptDrawing", "DrawingService", "kiosk-draw", "CPNG",
                "CJPEG", "TestSupport",
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "FaultTests",
            dependencies: [
                "PrintModel", "KioskAPI", "KioskEngine", "SimulatedPrinter", "TestSupport", "DaemonSupport", "kioskd",
            ],
            swiftSettings: house
        ),
    ]
)
