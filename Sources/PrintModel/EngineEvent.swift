/// An event of the engine; events are numbered in order.
public struct EngineEvent: Hashable, Sendable, Codable, Identifiable {
    /// Ascending, also across restarts.
    public var id: Int64
    public var time: Timestamp
    public var kind: Kind
    /// The job as it was after the event; for the `job-…` kinds.
    public var job: Job?
    /// The printer as it was after the event; for `printer-changed`.
    public var printer: PrinterStatus?
    /// For `registry-refused`: the problems of the file.
    public var message: String?

    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        case jobCreated = "job-created"
        /// Its state, reasons, printer or evidence changed.
        case jobChanged = "job-changed"
        /// Bytes were sent; nothing else changed. Never stored, and may be skipped under load.
        case jobProgress = "job-progress"
        case printerChanged = "printer-changed"
        case registryReloaded = "registry-reloaded"
        case registryRefused = "registry-refused"
        /// Events before this one are no longer stored: read jobs and printers again.
        case resync
    }

    public init(
        id: Int64, time: Timestamp, kind: Kind, job: Job? = nil, printer: PrinterStatus? = nil, message: String? = nil
    ) {
        self.id = id
        self.time = time
        self.kind = kind
        self.job = job
        self.printer = printer
        self.message = message
    }
}
