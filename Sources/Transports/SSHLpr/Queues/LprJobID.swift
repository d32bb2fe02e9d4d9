import PrintModel

/// How a job in a queue is named where it is asked for again: the spooler's number, which BSD and LPRng give to others
/// soon, and the delivery's id, which stands in the job's title or file name.
struct LprJobID: Hashable, Sendable {
    var number: String
    var deliveryID: String

    init(number: String, deliveryID: String) {
        self.number = number
        self.deliveryID = deliveryID
    }

    /// Reads what `remoteJob` wrote; nil for what no transport of ours can have written.
    init?(_ job: RemoteJob) {
        let parts = job.identifier.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[1].isEmpty, (1...18).contains(parts[0].utf8.count),
            parts[0].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        self.init(number: String(parts[0]), deliveryID: String(parts[1]))
    }

    var remoteJob: RemoteJob { RemoteJob(identifier: "\(number) \(deliveryID)") }
}
