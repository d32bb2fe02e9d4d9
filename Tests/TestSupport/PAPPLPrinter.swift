import Foundation

/// A printer on PAPPL (`Tests/PAPPLPrinter`): its IPP server, its queue and its reading of raster files are those of
/// LPrint and of most printer applications. It has neither message bus nor DNS-SD, and forgets its jobs when it ends.
package final class PAPPLPrinter: Sendable {
    /// The paper in it.
    package enum Paper: String, Sendable {
        /// A roll of 80 mm, with a range of lengths up to a metre.
        case roll = "receipt"
        /// Labels of 4 by 6 inches, without a range.
        case label
    }

    package let paper: Paper
    package let port: Int
    private let folder: TemporaryFolder
    private let running = RunningChild()

    /// Starts it and returns once it listens.
    package init(_ paper: Paper = .roll) async throws {
        self.paper = paper
        folder = try TemporaryFolder("pappl")
        for name in ["paper", "spool"] {
            try FileManager.default.createDirectory(atPath: folder.appending(name), withIntermediateDirectories: false)
        }
        port = try freePort()
        try await start()
    }

    package var uri: String { "ipp://localhost:\(port)/ipp/print" }
    package var secureURI: String { "ipps://localhost:\(port)/ipp/print" }
    package var log: String { running.child?.standardError ?? "" }

    /// Starts it again, on the same port; it knows no job.
    package func start() async throws {
        let program = Self.path("build/pappl-printer")
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw TestSupportError("\(program) is missing: run `make -C Tests/PAPPLPrinter` first")
        }
        let child = try ChildProcess(
            program, ["\(port)", folder.path, paper.rawValue],
            environment: Self.environment(in: folder),
            outputLimit: 16 << 20)
        running.child = child
        try await waitUntilListening(child, on: port)
    }

    /// Ends it as a crash does.
    package func kill() async throws { try await running.kill() }

    /// Lets the job at hand, and those to come, stop before their first row until `release()`.
    package func hold() throws { try folder.write("", to: "hold") }
    package func release() throws { try FileManager.default.removeItem(atPath: folder.appending("hold")) }

    /// Its state reasons, such as `media-empty`, with which nothing is printed; none by default.
    package func setReasons(_ reasons: String...) throws {
        try folder.write(reasons.joined(separator: " "), to: "reasons.new")
        guard rename(folder.appending("reasons.new"), folder.appending("reasons")) == 0 else {
            throw TestSupportError.errno("rename", errno)
        }
    }

    /// What came out, whole pages and documents alone, in order.
    package func printed() throws -> [Sheet] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.appending("paper"))
            .filter { !$0.hasSuffix(".part") }
        func numbers(_ name: String) -> [Int] {
            name.split { !$0.isNumber }.compactMap { Int($0) }
        }
        return try names.sorted { numbers($0).lexicographicallyPrecedes(numbers($1)) }.map { name in
            let bytes = try folder.read("paper/\(name)")
            guard name.hasSuffix(".pgm") else { return .raw(bytes) }
            return .page(try PrintedPage(pgm: bytes))
        }
    }

    package var pages: [PrintedPage] {
        get throws { try printed().compactMap { if case .page(let page) = $0 { page } else { nil } } }
    }

    package enum Sheet: Hashable, Sendable {
        case page(PrintedPage)
        case raw([UInt8])
    }

    /// What keeps a program on PAPPL, its state and its keys in a folder.
    static func environment(in folder: TemporaryFolder) -> [String: String] {
        ["HOME": folder.path, "TMPDIR": folder.path, "KEY_FOLDER": folder.path]
    }

    /// The path of something in the printer's folder of sources.
    static func path(_ name: String) -> String {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return tests.appendingPathComponent("PAPPLPrinter/\(name)").path
    }
}

/// The dots of a page.
package struct PrintedPage: Hashable, Sendable {
    package var width: Int
    package var height: Int
    /// Row by row, whether a dot is black.
    package var dots: [Bool]

    package init(width: Int, height: Int, dots: [Bool]) {
        (self.width, self.height, self.dots) = (width, height, dots)
    }

    /// Reads a PGM file (`P5`).
    package init(pgm bytes: [UInt8]) throws {
        let head = bytes.prefix(64).split(separator: UInt8(ascii: "\n"), maxSplits: 3, omittingEmptySubsequences: false)
        let size = head.count == 4 ? head[1].split(separator: UInt8(ascii: " ")) : []
        guard head.count == 4, head[0].elementsEqual("P5".utf8), size.count == 2,
            let width = Int(String(decoding: size[0], as: UTF8.self)),
            let height = Int(String(decoding: size[1], as: UTF8.self))
        else { throw TestSupportError("this is no PGM file") }
        let rows = bytes.dropFirst(head[..<3].reduce(3) { $0 + $1.count })
        // What is missing was never given to the driver.
        guard width > 0 else { throw TestSupportError("a page without width") }
        self.init(width: width, height: rows.count / width, dots: rows.map { $0 < 128 })
        printedHeight = height
    }

    /// The height that the page's header says.
    package private(set) var printedHeight = 0

    /// The number of black dots.
    package var blackCount: Int { dots.count { $0 } }

    /// The rows that have black dots, without the white ones around them.
    package var inkedRows: Range<Int> {
        let rows = (0..<height).filter { dots[$0 * width..<($0 + 1) * width].contains(true) }
        guard let first = rows.first, let last = rows.last else { return 0..<0 }
        return first..<last + 1
    }
}
