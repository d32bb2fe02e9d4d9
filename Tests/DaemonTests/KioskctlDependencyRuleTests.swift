import Foundation
import Testing

/// The dependency rules between modules, checked by the imports of their files.
@Suite struct DependencyRuleTests {
    private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Sources").path

    /// The folders of transports. IPPCodec and the modules that transports share are not transports.
    private static let transports = ["IPP", "SSHLpr", "USB"]

    /// The modules of folders: a module's name is the product's and its folder's.
    private static func modules(of folders: [String]) -> [String] { folders.map { "Kiosk\($0)" } }

    private struct Import: CustomStringConvertible {
        var file: String
        var module: String
        var description: String { "\(file) imports \(module)" }
    }

    /// The modules of Sources, and those of other packages that rules name.
    private static let known: Set<String> = {
        let folders = ["", "/Transports"].flatMap {
            (try? FileManager.default.contentsOfDirectory(atPath: sources + $0)) ?? []
        }
        let own = folders.filter { $0.lowercased().hasPrefix("kiosk") }
        return Set(own + modules(of: folders)).union([
            "ArgumentParser", "Foundation", "FoundationInternationalization", "GRDB", "Hummingbird",
            "NIOCore", "NIOFoundationCompat", "NIOHTTP1", "NIOPosix", "Yams",
        ])
    }()

    /// The imports of all files under a folder of Sources.
    private func imports(_ folder: String) throws -> [Import] {
        let root = "\(Self.sources)/\(folder)"
        let declaration =
            /^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+(?:(?:struct|class|enum|func|var|let|protocol|typealias)\s+)?(\w+)/
        return try (FileManager.default.subpaths(atPath: root) ?? []).filter { $0.hasSuffix(".swift") }.flatMap {
            path in
            let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: "\(root)/\(path)")), as: UTF8.self)
            return text.split(separator: "\n").compactMap { line in
                line.firstMatch(of: declaration).map { Import(file: "\(folder)/\(path)", module: String($0.1)) }
            }
        }
    }

    private func expect(
        _ folder: String, importsNone unwanted: [String], _ place: SourceLocation = #_sourceLocation
    ) throws {
        // A rule about a module that was renamed would hold for ever.
        #expect(Self.known.isSuperset(of: unwanted), sourceLocation: place)
        let offences = try imports(folder).filter { unwanted.contains($0.module) }
        #expect(offences.isEmpty, sourceLocation: place)
    }

    @Test func `finds the imports`() throws {
        let found = try imports("kioskctl").map(\.module)
        #expect(found.contains("ArgumentParser"))
        #expect(found.contains("KioskAPIMessages"))
        #expect(try imports("SimulatedPrinter").map(\.module).contains("KioskTLS"))
        #expect(try imports("KioskEngine").contains { $0.module == "GRDB" })
    }

    @Test func `transports know neither the engine nor the registry nor the API`() throws {
        try expect(
            "Transports",
            importsNone: ["KioskEngine", "KioskPrinterRegistry", "KioskAPI", "GRDB", "Yams", "Hummingbird"])
    }

    @Test(arguments: transports) func `no transport knows another`(_ transport: String) throws {
        try expect("Transports/\(transport)", importsNone: Self.modules(of: Self.transports.filter { $0 != transport }))
    }

    @Test func `the engine knows no transport and no interface`() throws {
        try expect(
            "KioskEngine",
            importsNone: Self.modules(of: Self.transports) + [
                "KioskIPPCodec", "KioskTLS", "KioskReceipts", "KioskReceiptPrinting", "KioskAPI", "Hummingbird",
                "ArgumentParser",
                "NIOPosix",
            ])
    }

    @Test func `receipts know neither the engine nor where they are sent`() throws {
        let others =
            Self.modules(of: Self.transports) + [
                "KioskEngine", "KioskPrinterRegistry", "KioskAPI", "GRDB", "Hummingbird", "NIOPosix",
            ]
        for module in ["Receipts", "ReceiptPrinting"] { try expect(module, importsNone: others) }
    }

    @Test func `the registry knows neither the engine nor transports`() throws {
        try expect(
            "PrinterRegistry",
            importsNone: Self.modules(of: Self.transports) + ["KioskIPPCodec", "KioskEngine", "KioskAPI", "NIOPosix"])
    }

    @Test func `the vocabulary stands on the standard library alone`() throws {
        let offences = try imports("PrintModel").filter {
            !["FoundationEssentials", "Synchronization"].contains($0.module)
        }
        #expect(offences.isEmpty)
        #expect(try imports("Transports/IPPCodec").isEmpty)
    }

    @Test(arguments: [
        "PrintModel", "Transports/IPPCodec", "Transports/IPP", "APIMessages", "BlockingClient", "KioskAPI", "Terminal",
        "PrometheusText", "kioskctl", "kioskctl-simulate", "kioskctl-fleet", "Fleet", "SimulatedPrinter",
    ])
    func `full Foundation, which brings ICU, stays out`(_ folder: String) throws {
        try expect(folder, importsNone: ["Foundation", "FoundationInternationalization", "NIOFoundationCompat"])
    }

    @Test(arguments: ["APIMessages", "BlockingClient", "Terminal", "kioskctl"])
    func `kioskctl has no event loop`(_ folder: String) throws {
        try expect(folder, importsNone: ["KioskAPI", "NIOCore", "NIOHTTP1", "NIOPosix"])
    }

    @Test(arguments: [
        "APIMessages", "BlockingClient", "KioskAPI", "kioskctl", "kioskctl-simulate", "Fleet", "SimulatedPrinter",
    ])
    func `clients link no engine`(_ folder: String) throws {
        try expect(
            folder,
            importsNone: [
                "GRDB", "KioskEngine", "KioskPrinterRegistry", "Yams", "Hummingbird", "KioskDurableFiles",
                "KioskReceipts",
                "KioskReceiptPrinting",
            ])
    }

    /// It checks registries with the kiosk's own parser, writes keys that must not be lost, and its simulated kiosks keep
    /// their records as kioskd does.
    @Test func `of the engine's modules kioskctl fleet knows the registry and durable files alone`() throws {
        try expect(
            "kioskctl-fleet",
            importsNone: Self.modules(of: Self.transports) + [
                "GRDB", "KioskEngine", "KioskMetrics", "Yams", "Hummingbird", "KioskReceipts", "KioskReceiptPrinting",
            ])
        // An event loop belongs to the exporter, which serves HTTP.
        let loops = try imports("kioskctl-fleet").filter { $0.module == "NIOPosix" }
        #expect(loops.map(\.file) == ["kioskctl-fleet/Exporter/ExporterServer.swift"])
    }

    @Test func `only the daemon joins the modules`() throws {
        let modules = try FileManager.default.contentsOfDirectory(atPath: Self.sources).filter { $0 != "kioskd" }
        for module in modules { try expect(module, importsNone: ["Hummingbird", "kioskd", "kioskctl"]) }
    }

    /// docs/concurrency.md says why.
    @Test func `no function relies on coming back to its caller's actor by itself`() throws {
        let package = URL(fileURLWithPath: Self.sources).deletingLastPathComponent().appendingPathComponent(
            "Package.swift")
        let manifest = String(decoding: try Data(contentsOf: package), as: UTF8.self)
        #expect(!manifest.contains("\"NonisolatedNonsendingByDefault\""))
        let files = (FileManager.default.subpaths(atPath: Self.sources) ?? []).filter { $0.hasSuffix(".swift") }
        #expect(!files.isEmpty)
        let offences = try files.filter { path in
            try Data(contentsOf: URL(fileURLWithPath: "\(Self.sources)/\(path)")).range(
                of: Data("nonisolated(nonsending)".utf8)) != nil
        }
        #expect(offences.isEmpty)
    }
}
