import Glibc
import KioskPaperPictures
import KioskSimulatedPaper
import KioskSimulatedPrinter
import KioskTerminal

/// The folder of `--paper`: a picture and a list of commands for each printed document.
final class PaperFolder {
    /// A longer document is drawn up to this many bytes.
    private static let maximumDocumentSize = 64 << 20

    private let path: String
    private let options: PaperOptions
    private var printer: PaperPrinter
    /// What draws pages of sheets; nil for a printer with a roll.
    private let sheets: SheetPrinter?
    private var documents = RecentDocuments()

    /// Makes the folder if it does not exist. `sheets`: how pages come on sheets; nil for a printer with a roll.
    init(_ path: String, _ options: PaperOptions, sheets: SimulatedSheets? = nil) throws {
        self.path = path
        self.options = options
        self.sheets = sheets.map { SheetPrinter(margin: $0.margin, turnsBacks: $0.sheetBack == "rotated") }
        printer = try PaperPrinter(options.model)
        guard mkdir(path, 0o755) == 0 || errno == EEXIST else { throw FileError("make", path, errno) }
        guard access(path, W_OK | X_OK) == 0 else { throw FileError("write into", path, errno) }
    }

    /// Draws the document that `event` reports as printed.
    func show(_ event: PrinterEvent) throws {
        switch event {
        case .received(let document): documents.add(document)
        case .paper(let record):
            guard let document = documents[record.document] else { return }
            try draw(document, bytes: record.bytes)
        default: break
        }
    }

    private func draw(_ document: ReceivedDocument, bytes count: Int64) throws {
        let bytes = try Files.read(document.path, limit: min(Int(clamping: count), Self.maximumDocumentSize))
        guard let language = PaperLanguage(mediaType: document.format, firstBytes: bytes.prefix(16)) else { return }
        try draw(bytes, language, number: Int(document.number))
    }

    /// Draws these bytes as `job-number`.
    func draw(_ bytes: [UInt8], _ language: PaperLanguage, number: Int) throws {
        let name = "\(path)/job-\(number)"
        if let sheets, language == .pwg || language == .urf { return try draw(sheets.print(bytes, as: language), name) }
        let papers = printer.print(bytes, as: language)
        for (index, paper) in papers.enumerated() {
            try Files.replace(
                Files.page(index, of: papers.count, "\(name).png"),
                with: PNGFile.bytes(paper, dotsPerInch: options.dpi))
        }
        try Files.replace("\(name).txt", with: Array(papers.map(\.dump).joined().utf8))
    }

    /// Draws sides of sheets, and lists them.
    private func draw(_ printed: (sides: [SheetSide], fault: String?), _ name: String) throws {
        for (index, side) in printed.sides.enumerated() {
            try Files.replace(Files.page(index, of: printed.sides.count, "\(name).png"), with: PNGFile.bytes(side))
        }
        var lines = printed.sides.enumerated().map { "page \($0 + 1)  \($1.line)\n" }
        if let fault = printed.fault { lines.append("! \(fault)\n") }
        try Files.replace("\(name).txt", with: Array(lines.joined().utf8))
    }
}

/// Reads and writes whole files.
enum Files {
    /// Reads at most `limit` bytes; `-` is the standard input.
    static func read(_ path: String, limit: Int) throws -> [UInt8] {
        do {
            return try InputFile.read(path, limit: limit)
        } catch {
            throw FileError("read", path, error.code)
        }
    }

    /// Writes a file, in place of one that exists.
    static func write(_ bytes: [UInt8], to path: String) throws {
        do {
            try OutputFile.write(bytes, to: path)
        } catch {
            throw FileError("write", path, error.code)
        }
    }

    /// Writes a file atomically: a reader finds all of it, or the one before.
    static func replace(_ path: String, with bytes: [UInt8]) throws {
        let partial = "\(path).partial"
        try write(bytes, to: partial)
        guard rename(partial, path) == 0 else { throw FileError("write", path, errno) }
    }

    /// The path for a page: `name.png` for the only page, else `name-1.png` and so on.
    static func page(_ index: Int, of count: Int, _ path: String) -> String {
        guard count > 1 else { return path }
        guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return "\(path)-\(index + 1)" }
        return "\(path[..<dot])-\(index + 1)\(path[dot...])"
    }
}

/// The error of a file that cannot be used.
struct FileError: Error, CustomStringConvertible {
    var description: String

    init(_ verb: String, _ path: String, _ code: Int32) {
        description = "cannot \(verb) \(path): \(SystemError(code: code))"
    }
}
