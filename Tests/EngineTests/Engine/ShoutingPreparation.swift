import KioskPrintModel
import KioskTestSupport
import Synchronization

/// Turns markup into the printer's name and the text in capitals. A document with `{` is not markup, one with `$` is
/// for the few, one with `#` is too wide for all but the printer `till-1`, and printers can be told to find everything
/// unprintable.
final class ShoutingPreparation: DocumentPreparation {
    let formats: Set<DocumentFormat> = [.receiptLine]
    let maximumLengthInMemory = 200
    func maximumLength(of format: DocumentFormat) -> Int64 { 200 }
    /// Printers that are sent nothing that is made here.
    let unsuited: Set<String>
    /// Only printers that said what they are.
    let asksWhatTheyAre: Bool
    private let refusing = Mutex<Set<String>>([])
    private let trouble = Mutex<String?>(nil)
    private let readings = Mutex(0)

    init(unsuited: Set<String> = [], refusing: Set<String> = [], asksWhatTheyAre: Bool = false) {
        self.unsuited = unsuited
        self.asksWhatTheyAre = asksWhatTheyAre
        refuse(refusing)
    }

    /// How often a document was read once more to be prepared.
    var furtherReadings: Int { readings.withLock(\.self) }

    /// Lets every preparation fail for this reason, until it is nil.
    func fail(_ reason: String?) { trouble.withLock { $0 = reason } }

    var healthChecks: [HealthReport.Check] {
        trouble.withLock { $0 }.map { [HealthReport.Check(code: "drawing", status: .critical, message: $0)] } ?? []
    }

    func refuse(_ printers: Set<String>) { refusing.withLock { $0 = printers } }

    @concurrent func check(
        _ document: PrintDocument, with ticket: Ticket, rights: CallerRights, for printers: [PreparationTarget]
    ) async throws(DocumentProblem) -> CheckedDocument {
        let document = document.bytesInMemory
        if let place = document.firstIndex(of: UInt8(ascii: "{")) {
            throw DocumentProblem(
                .invalid, DocumentRemark(line: 1, column: place + 1, message: "a brace stands alone", instead: "none"))
        }
        let names = printers.map(\.printer.id.rawValue)
        if document.contains(UInt8(ascii: "#")), !names.contains("till-1") {
            throw DocumentProblem(
                .invalid, DocumentRemark(message: "it is too wide for \(names.joined(separator: ", "))"))
        }
        if document.contains(UInt8(ascii: "$")), !rights.contains(.drawer) {
            throw DocumentProblem(.forbidden, DocumentRemark(message: "money is not for you"))
        }
        let remarks =
            document.contains(UInt8(ascii: "?"))
            ? [DocumentRemark(line: 1, column: 2, message: "nobody answers")] : []
        return CheckedDocument(remarks: remarks, content: String(decoding: document, as: UTF8.self))
    }

    func preparedFormat(of format: DocumentFormat, for printer: PreparationTarget) -> DocumentFormat? {
        unsuited.contains(printer.printer.id.rawValue) || asksWhatTheyAre && printer.description == nil ? nil : .escPOS
    }

    @concurrent func prepare(
        _ document: PrintDocument, _ checked: CheckedDocument?, with ticket: Ticket, isCopy: Bool,
        for printer: PreparationTarget
    ) async throws(DocumentProblem) -> PreparedDocument {
        if let reason = trouble.withLock({ $0 }) {
            throw DocumentProblem(.interrupted, DocumentRemark(message: reason))
        }
        let read = checked?.content as? String
        if read == nil { readings.withLock { $0 += 1 } }
        let name = printer.printer.id.rawValue
        if refusing.withLock({ $0.contains(name) }) {
            throw DocumentProblem(.unprintable, DocumentRemark(message: "it has no such letters"))
        }
        var text = "\(name) \((read ?? String(decoding: document.bytesInMemory, as: UTF8.self)).uppercased())"
        if isCopy { text = "COPY \(text)" }
        var rest = ticket
        rest.copies = nil
        return PreparedDocument(document: PrintDocument(format: .escPOS, body: .bytes(Array(text.utf8))), ticket: rest)
    }
}
