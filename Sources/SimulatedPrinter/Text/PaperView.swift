import Glibc
import KioskPrintModel

/// A printed document as a terminal can show it: torn paper with its text, without the document's control characters.
package struct PaperView: Sendable {
    /// The maximum bytes shown of a document.
    private static let inputLimit = 64 << 10
    private static let plainLineLimit = 400

    private let columns: Int

    package init(_ kind: SimulatedPrinterKind) { columns = SimulatedModel(kind).columns ?? 72 }

    /// The lines to show for a document. `record.bytes` of it were printed.
    package func lines(of document: ReceivedDocument, _ record: PaperRecord) -> [String] {
        let bytes = Self.read(document.path, limit: min(Int(clamping: record.bytes), Self.inputLimit))
        var items = self.items(bytes, document)
        if record.bytes > Self.inputLimit { items.append(.line("…")) }
        let end = record.isComplete ? nil : "the paper ends here, after \(record.bytes) bytes"
        return frame(items, note: end)
    }

    private func items(_ bytes: [UInt8], _ document: ReceivedDocument) -> [PaperItem] {
        let format = DocumentFormat(firstBytes: bytes.prefix(16)) ?? DocumentFormat(document.format)
        switch format {
        case .plainText?, .escPOS?:
            var interpreter = ESCPOSInterpreter(bytes, columns: columns)
            return interpreter.interpret()
        case .octetStream? where bytes.allSatisfy({ $0 != 0 }), nil:
            var interpreter = ESCPOSInterpreter(bytes, columns: columns)
            return interpreter.interpret()
        case .zpl?: return labelFields(bytes)
        default:
            var paper = TextPaper(columns: columns)
            paper.alignment = .centre
            paper.add("[\(format?.mimeType ?? document.format), \(document.bytes) bytes]".withoutControlCharacters)
            paper.endLine()
            return paper.items
        }
    }

    /// The texts of a ZPL label, which are between ^FD and ^FS.
    private func labelFields(_ bytes: [UInt8]) -> [PaperItem] {
        var paper = TextPaper(columns: columns)
        let text = String(decoding: bytes, as: UTF8.self)
        for field in text.split(separator: "^FD", omittingEmptySubsequences: false).dropFirst().prefix(
            Self.plainLineLimit)
        {
            let value = field.split(separator: "^", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
            paper.add(String(value).withoutControlCharacters)
            paper.endLine()
        }
        return paper.items
    }

    /// Draws the paper around the lines. Every cut begins a new piece.
    private func frame(_ items: [PaperItem], note: String? = nil) -> [String] {
        var pieces = items.split(separator: .cut).map(Array.init)
        if pieces.isEmpty { pieces = [[]] }
        var lines: [String] = []
        for piece in pieces {
            lines.append("  ╭" + String(repeating: "─", count: columns + 2) + "╮")
            for case .line(let text) in piece {
                let width = text.reduce(0) { $0 + $1.terminalWidth }
                lines.append("  │ " + text + String(repeating: " ", count: max(0, columns - width)) + " │")
            }
            lines.append("  ╰" + String(repeating: "╲╱", count: (columns + 2) / 2) + "╯")
        }
        if let note { lines.append("    (\(note))") }
        return lines
    }

    private static func read(_ path: String, limit: Int) -> [UInt8] {
        guard let file = fopen(path, "rb") else { return [] }
        defer { fclose(file) }
        return [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            count = fread(buffer.baseAddress, 1, limit, file)
        }
    }
}
