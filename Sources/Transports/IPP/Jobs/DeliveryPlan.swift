import IPPCodec
import PrintModel

/// Which operations a delivery takes, by what the printer supports and how long the document is.
struct DeliveryPlan: Equatable {
    /// Ask first whether the printer would take the job, so that a long document is not sent for nothing.
    var validates: Bool
    /// Create-Job and Send-Document in place of Print-Job: one round trip more, but the job has its number before the
    /// document flows, so that its fate can be asked for whatever happens to the connection.
    var createsJobFirst: Bool

    /// From this length on the round trip does not count beside the transfer.
    static let longDocument: Int64 = 256 * 1024

    init(documentLength: Int64, printer: PrinterFacts, usesCreateJob: Bool) {
        let isLong = documentLength >= Self.longDocument
        validates = isLong && printer.supports(.validateJob)
        createsJobFirst = isLong && usesCreateJob && printer.supports(.createJob) && printer.supports(.sendDocument)
    }
}
