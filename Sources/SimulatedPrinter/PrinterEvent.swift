package import KioskPrintModel

/// What a simulated printer reports to the program that runs it. Strings come from clients: they are hostile, and must
/// be escaped before they are shown.
package enum PrinterEvent: Hashable, Sendable {
    /// A job is new or its state has changed.
    case job(SimulatedJob)
    /// A document has arrived, complete or in part.
    case received(ReceivedDocument)
    /// Something came out on paper.
    case paper(PaperRecord)
    /// `printer-state` or `printer-state-reasons` has changed.
    case state(String, reasons: [String])
    /// A client sent Identify-Printer.
    case identify
    /// New connections get this certificate from now on.
    case certificate(Certificate)
    /// The printer left the network, or is on it again.
    case offline, online
    /// The simulation itself failed, for example because the disk is full.
    case failure(String)
}

/// A document as it arrived.
package struct ReceivedDocument: Hashable, Sendable {
    /// Counts from 1 through the whole simulation, across power losses.
    package let number: Int
    package let jobID: Int32
    package let jobName: String
    package let user: String
    package let format: String
    /// The file with the exact bytes; complete once `isComplete`.
    package let path: String
    package let bytes: Int64
    package let isComplete: Bool

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

/// What came out on paper for one print. A document with two records was printed twice.
package struct PaperRecord: Hashable, Sendable {
    /// The document's number.
    package let document: Int
    package let jobID: Int32
    package let jobName: String
    /// The number of document bytes on paper.
    package let bytes: Int64
    /// False where the paper ends in the middle of the document.
    package let isComplete: Bool

    package init(document: Int, jobID: Int32, jobName: String, bytes: Int64, isComplete: Bool) {
        self.document = document
        self.jobID = jobID
        self.jobName = jobName
        self.bytes = bytes
        self.isComplete = isComplete
    }
}
