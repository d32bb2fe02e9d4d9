package import PrintModel

/// What a simulated printer tells whoever runs it. Texts come from clients: hostile until shown escaped.
package enum PrinterEvent: Hashable, Sendable {
    /// A job is new or its state has changed.
    case job(SimulatedJob)
    /// A document has arrived, whole or in part.
    case received(ReceivedDocument)
    /// Something came out on paper.
    case paper(PaperRecord)
    /// `printer-state` and `printer-state-reasons` are other than before.
    case state(String, reasons: [String])
    /// Identify-Printer.
    case identify
    /// From now on new connections are shown this certificate.
    case certificate(Certificate)
    /// Off the network, or on it again.
    case offline, online
    /// Something went wrong in the simulation itself, such as a full disk.
    case trouble(String)
}

/// A document as it arrived.
package struct ReceivedDocument: Hashable, Sendable {
    /// Counts from 1 through the whole simulation, across losses of power.
    package var number: Int
    package var jobID: Int32
    package var jobName: String
    package var user: String
    package var format: String
    /// The file with the exact bytes; complete once `isComplete`.
    package var path: String
    package var bytes: Int64
    package var isComplete: Bool

    package init(
        number: Int, jobID: Int32, jobName: String, user: String, format: String, path: String, bytes: Int64,
        isComplete: Bool
    ) {
        self.number = number
        self.jobID = jobID
        self.jobName = jobName
        self.user = user
        self.format = format
        self.path = path
        self.bytes = bytes
        self.isComplete = isComplete
    }
}

/// What came out on paper, one for each print, in order: a document that stands here twice was printed twice.
package struct PaperRecord: Hashable, Sendable {
    /// The document's number.
    package var document: Int
    package var jobID: Int32
    package var jobName: String
    /// Document bytes that are on paper.
    package var bytes: Int64
    /// False where the paper ends in the middle of the document.
    package var isComplete: Bool

    package init(document: Int, jobID: Int32, jobName: String, bytes: Int64, isComplete: Bool) {
        self.document = document
        self.jobID = jobID
        self.jobName = jobName
        self.bytes = bytes
        self.isComplete = isComplete
    }
}
