/// The streams and buckets that a fleet has at its hub, and with which settings.
package struct HubLayout: Hashable, Sendable {
    /// How many servers keep a copy of each message: 3 in production; 1 for a hub of one server, to try things out.
    package var replicas: Int

    package init(replicas: Int = 3) { self.replicas = replicas }

    private static let day: Int64 = 86_400_000_000_000

    /// All streams, in the order in which they are made. A bucket is a stream named `KV_…` (ADR-8).
    package var streams: [StreamConfiguration] {
        var jobs = StreamConfiguration(
            name: Self.jobs, subjects: ["jobs.*.*.*"], replicas: replicas, maximumAge: 7 * Self.day,
            maximumMessagesPerSubject: 1, discard: "new")
        (jobs.discardsNewPerSubject, jobs.allowsMessageTTL, jobs.allowsDirect) = (true, true, true)
        // One for each kiosk that is connected, and as many again that are about to be forgotten.
        jobs.maximumConsumers = 40_000
        var documents = jobs
        (documents.name, documents.subjects) = (Self.documents, ["docs.*.*.*"])
        documents.maximumConsumers = -1
        var reports = StreamConfiguration(
            name: Self.reports, subjects: ["reports.*.*"], replicas: replicas, maximumAge: 30 * Self.day,
            maximumMessagesPerSubject: 8, discard: "old")
        (reports.allowsDirect, reports.maximumConsumers) = (true, 40_000)
        var audit = StreamConfiguration(
            name: Self.audit, subjects: ["audit.*"], replicas: replicas, maximumAge: 400 * Self.day,
            maximumMessagesPerSubject: -1, discard: "old")
        (audit.deniesDelete, audit.deniesPurge, audit.allowsDirect) = (true, true, true)
        var tokens = bucket("TOKENS", history: 1)
        tokens.maximumMessageLength = KioskLogin.maximumTokenLength
        return [
            jobs, documents, reports, bucket("DESIRED", history: 8), bucket("REPORTED", history: 8),
            bucket("LEASE", history: 1), bucket("STATUS", history: 1), tokens, audit,
        ]
    }

    private func bucket(_ name: String, history: Int) -> StreamConfiguration {
        var bucket = StreamConfiguration(
            name: "KV_\(name)", subjects: ["$KV.\(name).>"], replicas: replicas, maximumAge: 0,
            maximumMessagesPerSubject: history, discard: "new")
        (bucket.allowsDirect, bucket.allowsRollup, bucket.deniesDelete) = (true, true, true)
        return bucket
    }

    package static let jobs = "JOBS"
    package static let documents = "DOCS"
    package static let reports = "REPORTS"
    package static let status = "KV_STATUS"
    package static let lease = "KV_LEASE"
    package static let desired = "KV_DESIRED"
    package static let reported = "KV_REPORTED"
    package static let tokens = "KV_TOKENS"
    package static let audit = "AUDIT"
}
