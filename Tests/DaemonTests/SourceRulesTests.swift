import Foundation
import Testing

/// The rules of the sources that a compiler does not check: how much of a type's state other files can write, and which
/// words are not used.
@Suite struct SourceRulesTests {
    private static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path

    /// The files under a folder of the repository whose names end so, by path.
    private static func files(in folder: String, endingIn suffixes: [String]) throws -> [(path: String, text: String)] {
        let root = "\(repository)/\(folder)"
        return try (FileManager.default.subpaths(atPath: root) ?? []).sorted()
            .filter { path in suffixes.contains { path.hasSuffix($0) } && !path.contains(".build/") }
            .map { path in
                let data = try Data(contentsOf: URL(fileURLWithPath: "\(root)/\(path)"))
                return ("\(folder)/\(path)", String(decoding: data, as: UTF8.self))
            }
    }

    // MARK: State

    /// A type with the stored properties that other files can write.
    private struct OpenType: CustomStringConvertible {
        var file: String
        var name: String
        var hasBehaviour: Bool
        var properties: [String] = []
        var description: String { "\(file): \(name) has \(properties.count): \(properties.joined(separator: ", "))" }
    }

    /// Reads the declarations of a file by their indentation, which the formatter fixes.
    private static func types(in file: String, _ text: String) -> [OpenType] {
        let declaration =
            #/^( *)(?:@\w+(?:\([^)]*\))? )*((?:public |package |internal |fileprivate |private |final |indirect )*)(class|actor|struct) (\w+)/#
        let property =
            #/^( *)(?:@\w+ )*((?:public |package |internal |fileprivate |private |weak |unowned |nonisolated |nonisolated\(unsafe\) |static |private\(set\) |fileprivate\(set\) |lazy )*)var (\w+)(.*)$/#
        var open: [(indent: Int, type: OpenType)] = []
        var finished: [OpenType] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            let indent = line.prefix { $0 == " " }.count
            if line.trimmingCharacters(in: .whitespaces).isEmpty { continue }
            while let last = open.last, indent < last.indent || (indent == last.indent && line.hasSuffix("}")) {
                finished.append(last.type)
                open.removeLast()
            }
            if let found = line.firstMatch(of: declaration) {
                open.append((indent, OpenType(file: file, name: String(found.4), hasBehaviour: found.3 != "struct")))
                if line.hasSuffix("}") { finished.append(open.removeLast().type) }
                continue
            }
            guard let type = open.last, indent == type.indent + 4 else { continue }
            if line.contains("mutating func ") { open[open.count - 1].type.hasBehaviour = true }
            guard let found = line.firstMatch(of: property) else { continue }
            let (access, rest) = (String(found.2), String(found.4))
            let isHidden = access.contains("private") || access.contains("static")
            // A computed property has no state of its own.
            let isComputed = rest.hasSuffix("{") && !rest.contains("=") || rest.hasSuffix("}") && !rest.contains("=")
            if !isHidden, !isComputed { open[open.count - 1].type.properties.append(String(found.3)) }
        }
        return finished + open.map(\.type)
    }

    /// Plain values (structs without a mutating function) are exempt: they are what is handed from one file to another.
    @Test func `no type with behaviour lets other files write more than ten of its properties`() throws {
        let types = try Self.files(in: "Sources", endingIn: [".swift"]).flatMap(Self.types)
        #expect(types.count > 300)
        let offences = types.filter { $0.hasBehaviour && $0.properties.count > 10 }
        #expect(offences.isEmpty)
    }

    @Test func `counts the properties that other files can write`() {
        let text = """
            actor Engine {
                let fixed = 1
                var open = 1
                private var hidden = 1
                private(set) var shown = 1
                var computed: Int { 1 }
                var observed = 1 {
                    didSet { hidden = 2 }
                }
                struct Value {
                    var one = 1
                    var two: Int
                }
                var last: Int?
            }
            struct Machine {
                var state = 1
                mutating func run() {}
            }
            """
        let types = Self.types(in: "Engine.swift", text)
        #expect(types.first { $0.name == "Engine" }?.properties == ["open", "observed", "last"])
        #expect(types.first { $0.name == "Value" }?.properties == ["one", "two"])
        #expect(types.first { $0.name == "Value" }?.hasBehaviour == false)
        #expect(types.first { $0.name == "Machine" }?.hasBehaviour == true)
    }

    // MARK: Words

    /// Words that were coined here where the field has a standard term; the term is beside each.
    private static let replaced: [(word: String, term: String)] = [
        ("HTTPAnswer", "HTTPResponse"), ("[Pp]atience", "timeout"), ("[Mm]anners", "quirks"),
        ("[Ff]arewells?", "cancel subscriptions"), ("pay[A-Z]?Debt|\\bDebt\\b", "pending recovery"),
        ("GoodsNumber", "GTIN"), ("NativeSpeech", "code-page encoder"), ("[Dd]raughtsm[ae]n", "renderer"),
        ("FontShelf", "font map"), ("PrinterShelf", "printer pool"), ("OwnedPrinter", "printer session"),
        ("DeviceLook", "device descriptors"), ("WaitingLane|\\bLane\\b", "queue, pool or mutex"),
        ("\\bAlarm\\b", "signal"), ("DeviceStatus", "DevicePrinting"), ("EscPosPrinter", "EscPosCapabilities"),
        ("JobFacts", "job status"), ("isUnwelcome", "a term for why"), ("JobMoment", "time notation"),
        ("GrowingDelay", "exponential back-off"), ("isResting", "paused"), ("mayBeKnown", "may be a repeat"),
        ("tookBytes|takesPicture|takesVendorClass|takesPart\\b", "accepts"), ("something of ours", "internal error"),
        ("must be a text\\b", "must be a string"), ("is no HTTP|is no UTF-8|is no JSON", "is not"),
    ]

    @Test func `kiosk.js keeps to the 3 KB that its documentation promises`() throws {
        let script = try #require(try Self.files(in: "Sources/kioskd/Browser", endingIn: ["kiosk.js"]).first)
        #expect(script.text.utf8.count <= 3072)
        let pages = try Self.files(in: "docs", endingIn: ["browser-tills.md"])
        #expect(pages.first?.text.contains("one ES module of at most 3 KB, `/kiosk.js`") == true)
    }

    @Test func `words that were replaced by the field's terms do not come back`() throws {
        let folders = ["Sources", "Tests", "docs", "Fuzz", "Examples", "Packaging", "Scripts", "profiles"]
        let suffixes = [".swift", ".md", ".yaml", ".json", ".py", ".sh"]
        var offences: [String] = []
        for (path, text) in try folders.flatMap({ try Self.files(in: $0, endingIn: suffixes) })
        where !path.hasSuffix("SourceRulesTests.swift") {
            for (word, term) in Self.replaced where text.range(of: word, options: .regularExpression) != nil {
                offences.append("\(path): \(word); say \(term)")
            }
        }
        #expect(offences.isEmpty)
    }
}
