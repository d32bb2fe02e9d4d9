import PrintModel
import SimulatedPrinter
import Terminal

/// Shows a simulation to whoever runs it.
protocol SimulationView {
    /// `certificate`: what it shows, where it serves TLS.
    func started(_ printer: SimulatedPrinter, _ certificate: Certificate?)
    func show(_ event: PrinterEvent)
    func complain(_ message: String)
}

/// For people: a line for each event, and the paper.
final class SimulationText: SimulationView {
    private static let rememberedDocuments = 1000

    private let kind: PrinterKind
    private let isQuiet: Bool
    private let paper: PaperView
    private var documents: [ReceivedDocument] = []

    init(kind: PrinterKind, isQuiet: Bool) {
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
        if case .received(let document) = event { remember(document) }
        guard !isQuiet else { return }
        switch event {
        // Waiting and printing show by themselves; `--json` has every step.
        case .job(let job) where job.state.isFinal || job.state == .processingStopped:
            let reasons = job.reasons.filter { $0 != "none" }.joined(separator: ", ")
            say(
                "job \(job.id) \"\(job.name)\" from \(job.user): \(job.state.rawValue)\(reasons.isEmpty ? "" : " (\(reasons))")"
            )
        case .job: break
        case .received(let document):
            let what = document.isComplete ? "received" : "broken off after"
            say("job \(document.jobID) \(what) \(document.bytes) bytes of \(document.format): \(document.path)")
        case .paper(let record): show(record)
        case .state(let state, let reasons): say("printer \(state): \(reasons.joined(separator: ", "))")
        case .certificate(let certificate): say("new certificate; its key: \(certificate.keyFingerprint)")
        case .identify: say("*** here I am ***")
        case .offline: say("off the network")
        case .online: say("on the network again")
        case .trouble(let text): say("trouble: \(text)")
        }
    }

    func complain(_ message: String) { say(message) }

    private func show(_ record: PaperRecord) {
        guard let document = documents.last(where: { $0.number == record.document }) else {
            return say("job \(record.jobID) \(record.bytes) bytes are on paper")
        }
        for line in paper.lines(of: document, record) { Console.writeLine(line) }
    }

    private func remember(_ document: ReceivedDocument) {
        documents.append(document)
        if documents.count > Self.rememberedDocuments { documents.removeFirst() }
    }

    private func say(_ text: String) { Console.writeLine(text.withoutControlCharacters.shown) }
}
