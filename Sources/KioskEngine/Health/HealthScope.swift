public import KioskPrintModel

/// What a health report is about: the whole engine, one role, or one printer.
public struct HealthScope: Hashable, Sendable {
    /// Judges by this role alone: its printers and its jobs.
    public var role: RoleName?
    /// Judges by this printer alone, and the jobs that are on it.
    public var printer: PrinterID?

    /// Creates a scope; without a name it is everything.
    public init(role: RoleName? = nil, printer: PrinterID? = nil) {
        self.role = role
        self.printer = printer
    }

    /// Every printer, role and job.
    public static let everything = HealthScope()

    var isEverything: Bool { role == nil && printer == nil }

    func includes(_ name: Role) -> Bool { isEverything || name.name == role }

    func includes(_ status: PrinterStatus) -> Bool {
        if let printer, status.printer.id != printer { return false }
        if let role, !status.roles.contains(role) { return false }
        return true
    }

    func includes(_ job: Job) -> Bool {
        if let printer, job.printer != printer { return false }
        if let role, job.role != role { return false }
        return true
    }
}

/// From when on a health report warns.
public struct HealthThresholds: Hashable, Sendable {
    /// The age in seconds of the job that waits longest, from which on it is a WARNING.
    public var waitingWarning = 300
    /// The age in seconds from which on it is CRITICAL; nil: it never is.
    public var waitingCritical: Int?
    /// The number of unconfirmed jobs that nobody has decided about, from which on they are CRITICAL; fewer are a
    /// WARNING.
    public var unconfirmedCritical = 1
    /// The free space in MiB below which the state directory's disk is a WARNING. With less than 16 MiB documents of
    /// old jobs are removed.
    public var freeSpaceWarning = 16

    /// Creates the thresholds that hold where nobody says otherwise.
    public init() {}
}
