import KioskDurableFiles
import KioskPrintModel

/// The health checks of the state directory: a read-only file system, little free space, damaged queue files that a
/// recovery kept. `PrintEngine.health()` makes one for each report.
struct StateDirectoryInspection: Sendable {
    private let folder: String
    private var fileSystem: FileSystemState?
    private var recovered: [(name: String, report: RecoveryReport?)] = []

    /// The empty inspection of a folder that cannot be looked at; writes will say why.
    init(unreadable folder: String) { self.folder = folder }

    /// Blocks.
    init(of folder: String) throws {
        self.folder = folder
        recovered = try QueueFiles(folder: folder).damaged().map {
            ($0, RecoveryReport.read(QueueFiles.report(beside: "\(folder)/\($0)")))
        }
        fileSystem = try FileSystemState(of: folder)
    }

    /// The number of jobs that recoveries lost, as far as they know.
    var lostJobs: Int { recovered.reduce(0) { $0 + ($1.report?.lost ?? 0) } }

    /// `problem`: the failure that is shown already. `freeSpaceWarning`: bytes; never less than new jobs need.
    func checks(beside problem: EngineError?, freeSpaceWarning: Int64) -> [HealthReport.Check] {
        (fileSystem.map { checks(of: $0, beside: problem, max(freeSpaceWarning, Self.minimumFreeBytes)) } ?? [])
            + recovered.map(check)
    }

    private func checks(
        of state: FileSystemState, beside problem: EngineError?, _ freeSpaceWarning: Int64
    ) -> [HealthReport.Check] {
        var checks: [HealthReport.Check] = []
        if state.isReadOnly, problem?.code != .storageReadOnly {
            checks.append(
                .init(
                    code: EngineError.Code.storageReadOnly.rawValue, status: .critical,
                    message:
                        "\(folder) is on a file system that accepts no writes, so no job can be accepted; look at the disk and the kernel's log, and mount it writable"
                ))
        }
        if state.freeBytes < freeSpaceWarning, problem?.code != .storageFull {
            checks.append(
                .init(
                    code: "storage-low", status: .warning,
                    message:
                        "\(folder) has \(state.freeBytes / 1024) KiB of free space left; free some before jobs are refused"
                ))
        }
        return checks
    }

    private func check(_ queue: (name: String, report: RecoveryReport?)) -> HealthReport.Check {
        .init(
            code: "queue-recovered", subject: queue.name, status: .warning,
            message:
                "the queue was damaged; \(queue.report?.summary ?? "what could be read was recovered"), and the damaged file is kept as \(folder)/\(queue.name). Look at the disk, see what was lost, and remove the file"
        )
    }

    /// The free space that new jobs need: with less, documents of old jobs are removed.
    static let minimumFreeBytes: Int64 = 16 << 20
}
