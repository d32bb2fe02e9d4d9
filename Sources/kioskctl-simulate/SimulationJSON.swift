import FoundationEssentials
import PrintModel
import SimulatedPrinter
import Terminal

/// For programs: one JSON object on a line for each event; `event` names it.
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
        /// Of the certificate's key.
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
        case .trouble(let text): write(Line(event: "trouble", message: text))
        }
    }

    func complain(_ message: String) { write(Line(event: "complaint", message: message)) }

    private func write(_ line: Line) {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            Console.writeLine(json: Array(try encoder.encode(line)))
        } catch {
            Console.note("an event could not be written as JSON: \(error)")
        }
    }
}
