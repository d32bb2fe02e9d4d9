import Glibc
import KioskDurableFiles
import KioskPrintModel

/// The names of the queue's files in the state directory, and the steps by which a recovered queue takes a damaged
/// one's place.
///
/// A crash between any two steps leaves the damaged files and, once it is whole, the recovered one: `recovered` exists
/// only between the moment when all is on disk and the moment when it has become the queue. Every call blocks.
struct QueueFiles: Sendable {
    let folder: String

    var queue: String { "\(folder)/queue.sqlite" }
    /// Still being filled.
    var recovering: String { "\(folder)/queue.sqlite.recovering" }
    private var recovered: String { "\(folder)/queue.sqlite.recovered" }
    /// The copy of the queue's header and schema (`SchemaCopy`).
    var outline: String { "\(folder)/queue.sqlite.outline" }
    /// The jobs that were not final when the last process met damage, as it knew them.
    var remembered: String { "\(folder)/queue.sqlite.remembered" }
    /// The same, while it is being written.
    var remembering: String { "\(folder)/queue.sqlite.remembering" }

    /// The version of the queue's tables, for a package that is to take the daemon's place (`kioskd.preinst`).
    private var version: String { "\(folder)/queue.sqlite.version" }

    /// Notes the version of the tables. Where that fails, as on a full disk, an older daemon still refuses the queue.
    func note(version number: Int) {
        let text = Array("\(number)\n".utf8)
        guard (try? AtomicFile.read(version, limit: 64)) != text else { return }
        try? AtomicFile.replace(version, with: text, permissions: 0o600)
    }

    /// What SQLite keeps beside a database in WAL mode.
    private static let companions = ["-wal", "-shm"]

    /// Why the queue's file is not to be believed as it is.
    enum Suspicion: Hashable, Sendable {
        /// Commits lie beside it that were never taken into it: the last process was cut off.
        case crash
        /// The last process met damage.
        case damage
    }

    /// Nil for a queue that was closed in order.
    var suspicion: Suspicion? {
        if access(mark, F_OK) == 0 { return .damage }
        var status = stat()
        return stat("\(queue)-wal", &status) == 0 && status.st_size > 0 ? .crash : nil
    }

    private var mark: String { "\(folder)/queue.sqlite.suspect" }

    /// Has the next start check all of it, however this one ends.
    func suspect() throws(FileError) { try AtomicFile.replace(mark, with: [], permissions: 0o600) }

    /// Whether there was a queue, and nothing of it is left: SQLite would begin a new one, and remove the log of the
    /// old.
    var isGone: Bool {
        var status = stat()
        let isEmpty = stat(queue, &status) != 0 || status.st_size == 0
        return isEmpty && (access(outline, F_OK) == 0 || suspicion != nil)
    }

    /// Hands the remembered jobs to the next start, once all of them are on disk.
    func keepRemembered() throws(FileError) {
        try Self.move(remembering, to: remembered)
        try Folder.sync(folder)
    }

    /// Removes a database and what SQLite keeps beside it.
    func remove(_ database: String) throws(FileError) {
        for companion in [""] + Self.companions { try Folder.remove(file: database + companion) }
    }

    /// The tables are about to be changed.
    func forgetOutline() throws(FileError) { try Folder.remove(file: outline) }

    /// It was checked, or replaced.
    func trust() throws(FileError) { try Folder.remove(file: mark) }

    /// Ends a recovery that was cut off when all was on disk.
    func finishRecovery() throws(FileError) {
        guard access(recovered, F_OK) == 0 else { return }
        for companion in Self.companions { try Folder.remove(file: queue + companion) }
        // It is the damaged queue's: beside the recovered one it would tell of damage.
        try Folder.remove(file: outline)
        try Self.move(recovered, to: queue)
        try Folder.sync(folder)
    }

    /// Puts the filled and closed `recovering` in the queue's place, and keeps the damaged files under another name,
    /// which is returned.
    func replace(at now: Timestamp, report: RecoveryReport) throws -> String {
        let aside = try damagedName(at: now)
        for companion in [""] + Self.companions where access(queue + companion, F_OK) == 0 {
            guard link(queue + companion, aside + companion) == 0 else {
                throw FileError(operation: "link", path: aside + companion, errno: errno)
            }
        }
        // Even where nothing is left of it, the health check tells of it.
        if access(aside, F_OK) != 0 { try AtomicFile.replace(aside, with: [], permissions: 0o600) }
        try report.write(to: Self.report(beside: aside))
        try Folder.sync(folder)
        try Self.move(recovering, to: recovered)
        try Folder.sync(folder)
        try finishRecovery()
        try trust()
        return aside
    }

    /// Removes what an earlier attempt left.
    func beginRecovery() throws(FileError) {
        try remove(recovering)
    }

    /// Queues that were set aside and are still there: an operator removes them.
    func damaged() throws(FileError) -> [String] {
        try Folder.names(in: folder).filter { name in
            name.hasPrefix(Self.damagedPrefix)
                && !(Self.companions + [Self.documents, Self.report]).contains { name.hasSuffix($0) }
        }
    }

    /// One whose documents were not set aside with it, since a crash came between.
    func asideWithoutDocuments() throws(FileError) -> String? {
        for name in try damaged() where access(Self.documentsFolder(beside: "\(folder)/\(name)"), F_OK) != 0 {
            return "\(folder)/\(name)"
        }
        return nil
    }

    /// Where the documents go that no recovered job names.
    static func documentsFolder(beside aside: String) -> String { aside + documents }

    /// The path of the report on what was recovered and lost.
    static func report(beside aside: String) -> String { aside + report }

    private static let report = ".report"
    private static let damagedPrefix = "queue.sqlite.damaged-"
    private static let documents = ".documents"

    private func damagedName(at now: Timestamp) throws(FileError) -> String {
        let base = folder + "/" + Self.damagedPrefix + now.description.filter { $0.isNumber || $0 == "T" }
        var (name, number) = (base, 1)
        while access(name, F_OK) == 0 {
            number += 1
            name = "\(base)-\(number)"
        }
        return name
    }

    private static func move(_ source: String, to target: String) throws(FileError) {
        guard rename(source, target) == 0 else { throw FileError(operation: "rename", path: target, errno: errno) }
    }
}
