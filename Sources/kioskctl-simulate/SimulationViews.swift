import FoundationEssentials
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTerminal

/// Shows a running simulation.
protocol SimulationView {
    /// Shows how to reach the printer. `certificate` is its own, where it serves TLS.
    func started(_ printer: SimulatedPrinter, _ certificate: Certificate?)
    func show(_ event: PrinterEvent)
    /// Shows an error.
    func showError(_ message: String)
}

/// The view for people: a line for each event, and the paper.
final class SimulationText: SimulationView {
    private let kind: SimulatedPrinterKind
    private let isQuiet: Bool
    private let paper: PaperView
    private var documents = RecentDocuments()

    init(kind: SimulatedPrinterKind, isQuiet: Bool) {
        self.kind = kind
        self.isQuiet = isQuiet
        paper = PaperView(kind)
    }

    func started(_ printer: SimulatedPrinter, _ certificate: Certificate?) {
        Console.writeLine(printer.uri)
        let role = kind == .receipt || kind == .label ? kind.rawValue : "document"
        Console.writeLine(
            "Save it with: kioskctl printers add simulated-\(kind.rawValue) \(printer.uri) --role \(role)")
        if let certificate { Console.writeLine("Its key: \(certificate.keyFingerprint)") }
    }

    func show(_ event: PrinterEvent) {
        if case .received(let document) = event { documents.add(document) }
        guard !isQuiet else { return }
        switch event {
        // The other states are not worth a line; `--json` shows every step.
        case .job(let job) where job.state.isFinal || job.state == .processingStopped:
            let reasons = job.reasons.filter { $0 != "none" }.joined(separator: ", ")
            write(
                "job \(job.id) \"\(job.name)\" from \(job.user): \(job.state.rawValue)\(reasons.isEmpty ? "" : " (\(reasons))")"
            )
        case .job: break
        case .received(let document):
            let what = document.isComplete ? "received" : "broken off after"
            write("job \(document.jobID) \(what) \(document.bytes) bytes of \(document.format): \(document.path)")
        case .paper(let record): show(record)
        case .state(let state, let reasons): write("printer \(state): \(reasons.joined(separator: ", "))")
        case .certificate(let certificate): write("new certificate; its key: \(certificate.keyFingerprint)")
        case .identify: write("*** here I am ***")
        case .offline: write("off the network")
        case .online: write("on the network again")
        case .failure(let text): write("trouble: \(text)")
        }
    }

    func showError(_ message: String) { write(message) }

    private func show(_ record: PaperRecord) {
        guard let document = documents[record.document] else {
            return write("job \(record.jobID) \(record.bytes) bytes are on paper")
        }
        for line in paper.lines(of: document, record) { Console.writeLine(line) }
    }

    private func write(_ text: String) { Console.writeLine(text.withoutControlCharacters.terminalEscaped) }
}

/// The view for programs: a line with a JSON object for each event. `event` names the event.
struct SimulationJSON: SimulationView {
    private struct Line: Encodable {
        var event: String
        var uri: String?
        var state: String?
        var reasons: [String]?
        var jobID: Int32?
        var name: String?
        var user: String?
        var document: Int?
        var format: String?
        var path: String?
        var bytes: Int64?
        var isComplete: Bool?
        var message: String?
        /// The fingerprint of the certificate's key.
        var keyFingerprint: Fingerprint?
    }

    func started(_ printer: SimulatedPrinter, _ certificate: Certificate?) {
        write(
            Line(event: "started", uri: printer.uri, path: printer.folder, keyFingerprint: certificate?.keyFingerprint))
    }

    func show(_ event: PrinterEvent) {
        switch event {
        case .job(let job):
            write(
                Line(
                    event: "job", state: job.state.rawValue, reasons: job.reasons, jobID: job.id, name: job.name,
                    user: job.user, document: job.document, format: job.format, bytes: job.bytes))
        case .received(let document):
            write(
                Line(
                    event: "received", jobID: document.jobID, name: document.jobName, user: document.user,
                    document: document.number, format: document.format, path: document.path, bytes: document.bytes,
                    isComplete: document.isComplete))
        case .paper(let record):
            write(
                Line(
                    event: "paper", jobID: record.jobID, name: record.jobName, document: record.document,
                    bytes: record.bytes, isComplete: record.isComplete))
        case .state(let state, let reasons): write(Line(event: "state", state: state, reasons: reasons))
        case .certificate(let certificate):
            write(Line(event: "certificate", keyFingerprint: certificate.keyFingerprint))
        case .identify: write(Line(event: "identify"))
        case .offline: write(Line(event: "offline"))
        case .online: write(Line(event: "online"))
        case .failure(let text): write(Line(event: "trouble", message: text))
        }
    }

    func showError(_ message: String) { write(Line(event: "complaint", message: message)) }

    private func write(_ line: Line) {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            Console.writeLine(json: Array(try encoder.encode(line)))
        } catch {
            Console.writeMessage("an event could not be written as JSON: \(error)")
        }
    }
}

/// The documents received last, by number.
struct RecentDocuments {
    private static let limit = 1000

    private var documents: [Int: ReceivedDocument] = [:]

    subscript(number: Int) -> ReceivedDocument? { documents[number] }

    mutating func add(_ document: ReceivedDocument) {
        documents[document.number] = document
        if documents.count > Self.limit { documents[document.number - Self.limit] = nil }
    }
}
