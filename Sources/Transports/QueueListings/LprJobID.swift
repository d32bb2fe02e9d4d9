package import KioskPrintModel

/// The identifier of a job in a queue: the spooler's number, which BSD and LPRng reuse soon, and the delivery's id,
/// which is part of the job's title or file name.
package struct LprJobID: Hashable, Sendable {
    package var number: String
    package var deliveryID: String

    package init(number: String, deliveryID: String) {
        self.number = number
        self.deliveryID = deliveryID
    }

    /// Parses what `remoteJob` wrote; nil for anything else.
    package init?(_ job: RemoteJob) {
        let parts = job.identifier.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[1].isEmpty, (1...18).contains(parts[0].utf8.count),
            parts[0].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        self.init(number: String(parts[0]), deliveryID: String(parts[1]))
    }

    package var remoteJob: RemoteJob { RemoteJob(identifier: "\(number) \(deliveryID)") }
}
