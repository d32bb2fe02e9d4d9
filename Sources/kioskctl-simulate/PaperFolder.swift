import Glibc
import PaperPictures
import SimulatedPaper
import SimulatedPrinter

/// The folder of `--paper`: a picture and a dump for each document that came out.
final class PaperFolder {
    /// More of a document isn't drawn.
    private static let longestDocument = 64 << 20

    private let path: String
    private let options: PaperOptions
    private var printer: PaperPrinter
    private var documents: [Int: ReceivedDocument] = [:]
    private static let rememberedDocuments = 1000

    /// Makes the folder where it is missing.
    init(_ path: String, _ options: PaperOptions) throws {
        self.path = path
        self.options = options
        printer = try PaperPrinter(options.model)
        guard mkdir(path, 0o755) == 0 || errno == EEXIST else { throw FileTrouble("make", path, errno) }
        guard access(path, W_OK | X_OK) == 0 else { throw FileTrouble("write into", path, errno) }
    }

    /// Draws what came out on paper.
    func show(_ event: PrinterEvent) throws {
        switch event {
        case .received(let document):
            documents[document.number] = document
            if documents.count > Self.rememberedDocuments {
                documents[document.number - Self.rememberedDocuments] = nil
            }
        case .paper(let record):
            guard let document = documents[record.document] else { return }
            try draw(document, bytes: record.bytes)
        default: break
        }
    }

    private func draw(_ document: ReceivedDocument, bytes count: Int64) throws {
        let bytes = try Files.read(document.path, limit: min(Int(clamping: count), Self.longestDocument))
        guard let language = PaperLanguage(mediaType: document.format, firstBytes: bytes.prefix(16)) else { return }
        let name = "\(path)/job-\(document.number)"
        let papers = printer.print(bytes, as: language)
        for (index, paper) in papers.enumerated() {
            try Files.place(
                PNGFile.bytes(paper.picture, dotsPerInch: options.dpi),
                at: Files.page(index, of: papers.count, "\(name).png"))
        }
        try Files.place(Array(papers.map(\.dump).joined().utf8), at: "\(name).txt")
    }
}
