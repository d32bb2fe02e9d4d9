import FoundationEssentials
import GRDB
import KioskDurableFiles
import KioskPrintModel

/// Takes over what can be read of a damaged queue into a new one, row by row.
///
/// Rows are known by their shape: each table has its own count and classes of values. So it does not matter which page
/// led to them, or whether one still does.
struct QueueSalvage {
    /// Jobs that were taken over, final ones included.
    private(set) var jobs: Set<Job.ID> = []
    /// Rows of any table that could not be read or make no sense.
    private(set) var unreadable = 0
    /// The jobs that indexes, documents and steps tell of.
    private var known: Set<Job.ID> = []
    /// The last number that was given, as a queue of before migration 7 has it in a table of SQLite's.
    private var lastNumber: Int64?
    /// `queue.floor`; see `JobFiling`.
    private var floor: Int64?
    /// The largest number of a row that has the shape of a job, sensible or not.
    private var highest: Int64 = 0

    /// Whether all the jobs that there were are known.
    private var isCountKnown = true

    /// The report, given the jobs that are known from elsewhere.
    func report(with others: Set<Job.ID>) -> RecoveryReport {
        let all = jobs.union(others)
        return RecoveryReport(recovered: all.count, lost: known.subtracting(all).sorted(), isCountKnown: isCountKnown)
    }

    /// A table of the new queue.
    private struct Table {
        let name: String
        let columns: [ColumnInfo]
        /// The index of the column that holds the row's number, which is not stored among its values.
        let own: Int?

        init(_ name: String, in db: Database) throws {
            self.name = name
            columns = try db.columns(in: name)
            own = columns.firstIndex { $0.primaryKeyIndex > 0 && $0.type == "INTEGER" }
        }

        /// A row of an earlier version has fewer values.
        func holds(_ values: [DatabaseValue]) -> Bool {
            guard values.count <= columns.count,
                columns[values.count...].allSatisfy({ !$0.isNotNull || $0.defaultValueSQL != nil })
            else { return false }
            return values.indices.allSatisfy { index in
                index == own ? values[index].isNull : Self.suits(values[index], columns[index])
            }
        }

        /// Whether a column can hold the value. One of another class would end the process that reads it.
        private static func suits(_ value: DatabaseValue, _ column: ColumnInfo) -> Bool {
            switch value.storage {
            case .null: !column.isNotNull && column.primaryKeyIndex == 0
            case .int64: column.type == "INTEGER"
            case .string: column.type == "TEXT"
            case .blob: column.type == "BLOB"
            case .double: false
            }
        }
    }

    /// Fills the new queue, in one commit. Throws only for the new one.
    mutating func fill(_ new: DatabasePool, from old: DatabaseRows, at now: Timestamp) throws {
        noteIndexes(in: old)
        try new.write { db in
            let tables = try Self.tables(of: db).map { try Table($0, in: db) }
            // Jobs first, to which the others refer.
            for isJobs in [true, false] {
                for leaf in old.leaves {
                    let (rows, unreadable) = old.rows(on: leaf)
                    if isJobs { self.unreadable += unreadable }
                    for row in rows {
                        guard let table = tables.first(where: { $0.holds(row.values) }) else {
                            if isJobs { noteStranger(row) }
                            continue
                        }
                        guard (table.name == "job") == isJobs else { continue }
                        try take(row, into: table, isOld: old.old.contains(leaf), db)
                    }
                }
            }
            try holdUnaskable(db)
            try JobFiling.fileAll(upTo: settleNumbers(of: old, at: now), in: db)
            if old.isEndUnknown { isCountKnown = false }
        }
    }

    /// Collects the numbers of jobs from the two indexes that together hold every job, or every one below the floor:
    /// one for final jobs, one for the others; and of those that came with a key.
    private mutating func noteIndexes(in old: DatabaseRows) {
        for index in [Self.openIndex(of: old), "job_final", "job_idempotency"] {
            for leaf in old.entries[index] ?? [] {
                for row in old.rows(on: leaf).rows { note(row.values.last.flatMap(Int64.fromDatabaseValue)) }
            }
        }
    }

    /// The index of jobs that are not final, which was another before migration 7.
    private static func openIndex(of old: DatabaseRows) -> String { old.has("job_active") ? "job_active" : "job_open" }

    /// The last number that was given, or one that is certainly behind it. No number is given twice: whoever asks for a
    /// lost job must not be told of another. Where the last one cannot be read, they go on with the seconds since 1970,
    /// which no queue has counted to.
    private mutating func settleNumbers(of old: DatabaseRows, at now: Timestamp) -> Job.ID {
        let areIndexesSound = old.sound.isSuperset(of: [Self.openIndex(of: old), "job_final"])
        let beyond = now.millisecondsSince1970 / 1000
        if old.has("job_active") {
            isCountKnown = old.sound.contains("job") || areIndexesSound
            return max(jobs.max() ?? 0, known.max() ?? 0, lastNumber ?? beyond)
        }
        var last = old.lastNumber(in: "job").flatMap { $0 == 0 || Self.isNumber($0) ? max($0, highest) : nil }
        if last == nil, old.isRootLost(of: "job"), old.areOrphansKnown, unreadable == 0, highest > 0 {
            // It only led to others, and each of them was found.
            last = highest
        }
        isCountKnown = old.sound.contains("job") || (areIndexesSound && floor != nil && last != nil)
        // From the floor on there are no gaps but those of lost pages. (With all pages there, a damaged number makes
        // one.)
        if !old.sound.contains("job"), let floor, let end = last ?? jobs.max(), floor <= end,
            end - floor < Self.maximumNew
        {
            known.formUnion(floor...end)
        }
        let reached = max(jobs.max() ?? 0, known.max() ?? 0, highest, (floor ?? 1) - 1)
        guard floor != nil, last != nil else { return max(reached + Self.maximumNew, beyond) }
        return reached
    }

    /// More than are accepted between two looks of the history's trimmer.
    private static let maximumNew: Int64 = 1_000_000

    private mutating func note(_ number: Int64?) {
        if let number, Self.isNumber(number) { known.insert(number) }
    }

    /// Notes a row that belongs to none of the queue's tables: SQLite's own, or a damaged one.
    private mutating func noteStranger(_ row: DatabasePage.Row) {
        if row.values.count == 2, let name = String.fromDatabaseValue(row.values[0]),
            let last = Int64.fromDatabaseValue(row.values[1])
        {
            if name == "job", Self.isNumber(last) { lastNumber = max(last, lastNumber ?? 0) }
        } else if row.values.count != 1, row.values.count != 5 {
            unreadable += 1
        }
    }

    /// Whether a job can have this number. A larger one, which no queue has counted to, would leave none for later
    /// jobs.
    private static func isNumber(_ number: Int64) -> Bool { number > 0 && number < 1 << 53 }

    private mutating func take(_ row: DatabasePage.Row, into table: Table, isOld: Bool, _ db: Database) throws {
        if table.name == "queue" { return try takeQueue(row, isOld: isOld, db) }
        if table.name == "job", Self.isNumber(row.number) { highest = max(highest, row.number) }
        if table.name == "document" { note(row.number) }
        if table.name == "job_step", row.values.count > 1 { note(Int64.fromDatabaseValue(row.values[1])) }
        var values = row.values
        if let own = table.own { values[own] = row.number.databaseValue }
        let names = table.columns.prefix(values.count).map { "\"\($0.name)\"" }.joined(separator: ", ")
        let insertion =
            "INSERT OR IGNORE INTO \"\(table.name)\" (\(names)) VALUES (\(databaseQuestionMarks(count: values.count)))"
        let isJob = table.name == "job"
        guard !isJob || (Self.isNumber(row.number) && !jobs.contains(row.number)) else { return }
        var isInserted = try Self.insert(values, with: insertion, isJob: isJob, isOld: isOld, db)
        if !isInserted, isJob, let key = table.columns.firstIndex(where: { $0.name == "idempotency_key" }),
            key < values.count, !values[key].isNull
        {
            // An older job's row may have it still.
            values[key] = .null
            isInserted = try Self.insert(values, with: insertion, isJob: isJob, isOld: isOld, db)
        }
        guard isInserted else {
            if !isOld { unreadable += 1 }
            return
        }
        if isJob { jobs.insert(row.number) }
    }

    /// Takes over the row of table `queue`, or of `engine` as it was called before migration 7, which had no floor. In
    /// an old version of it the floor may be too low.
    private mutating func takeQueue(_ row: DatabasePage.Row, isOld: Bool, _ db: Database) throws {
        try db.execute(sql: "UPDATE queue SET marker = ? WHERE marker IS NULL", arguments: [row.values[1]])
        guard row.values.count > 2, !isOld, floor == nil else { return }
        floor = Int64.fromDatabaseValue(row.values[2]).flatMap { Self.isNumber($0) ? $0 : nil }
    }

    /// Inserts a row; false where it refers to a lost one, is there already, or is not a job.
    private static func insert(
        _ values: [DatabaseValue], with insertion: String, isJob: Bool, isOld: Bool, _ db: Database
    ) throws -> Bool {
        var isInserted = false
        do {
            try db.inSavepoint {
                // From the cache, which forgets a statement that failed: such a one would fail the next row too.
                try db.cachedStatement(sql: insertion).execute(arguments: StatementArguments(values))
                isInserted = try db.changesCount > 0 && (!isJob || isSensible(db, isOld: isOld))
                return isInserted ? .commit : .rollback
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            return false
        }
        return isInserted
    }

    /// Whether the row just inserted can be read as a job. One that may have been printed since is held.
    private static func isSensible(_ db: Database, isOld: Bool) throws -> Bool {
        let id = db.lastInsertedRowID
        guard let row = try Row.fetchOne(db, sql: "SELECT * FROM job WHERE id = ?", arguments: [id]),
            let job = try? JobRecord(row: row)
        else { return false }
        let isDone = job.stage == .done
        if isDone != job.job.state.isFinal || (isOld && !isDone) {
            try hold(
                "id = ?", [id],
                because: "The queue was damaged, and what is left of the job may be older than its end.", db)
        }
        return true
    }

    private static func hold(
        _ condition: String, _ arguments: StatementArguments, because reason: String, _ db: Database
    ) throws {
        try db.execute(
            sql: """
                UPDATE job SET stage = ?, state = ?, state_reasons = 'unconfirmed', is_unconfirmed = 1, message = ?, completed_at = NULL
                WHERE \(condition)
                """,
            arguments: [
                JobStage.Stored.held.rawValue, JobState.pendingHeld.rawValue,
                "\(reason) Look at the paper, then release it (prints again) or cancel it.",
            ] + arguments)
    }

    /// Holds jobs that were being sent if the marker is lost. Without it no printer can be asked for a job by the name
    /// that it was sent under, and "it does not have it" would prove nothing: an operator decides.
    private func holdUnaskable(_ db: Database) throws {
        guard try String.fetchOne(db, sql: "SELECT marker FROM queue") == nil else { return }
        try Self.hold(
            "stage = ?", [JobStage.Stored.sending.rawValue],
            because: "The queue was damaged while the job was on its way, and its printer cannot be asked any more.", db
        )
    }

    /// The tables of the queue, without SQLite's own.
    static func tables(of db: Database) throws -> [String] {
        try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
            .filter { !$0.hasPrefix("sqlite_") && $0 != "grdb_migrations" }
    }
}

/// The numbers of recovered and lost jobs of a damaged queue, kept beside it for the health check.
struct RecoveryReport: Hashable, Codable, Sendable {
    /// Final ones included.
    var recovered: Int
    /// The number of jobs whose rows are gone, as far as indexes, documents and steps tell.
    var lost: Int
    /// The numbers of lost jobs; only the first ones where there are many.
    var numbers: [Job.ID]

    /// Whether all lost jobs are known; false where there may be more.
    var isCountKnown: Bool

    private static let maximumNumbers = 100

    init(recovered: Int, lost: [Job.ID], isCountKnown: Bool) {
        self.recovered = recovered
        self.isCountKnown = isCountKnown
        self.lost = lost.count
        numbers = Array(lost.prefix(Self.maximumNumbers))
    }

    /// The report in words, for people.
    var summary: String {
        let jobs = "\(recovered) job\(recovered == 1 ? " was" : "s were") recovered"
        guard lost > 0 else {
            return isCountKnown ? "\(jobs), none was lost" : "\(jobs), how many were lost nothing tells"
        }
        let named = numbers.prefix(10).map(String.init).joined(separator: ", ")
        let list = "(\(named)\(lost > 10 ? " and others" : ""))"
        return "\(jobs), \(isCountKnown ? "" : "at least ")\(lost) \(lost == 1 ? "was" : "were") lost \(list)"
    }

    static func read(_ path: String) -> RecoveryReport? {
        guard let bytes = try? AtomicFile.read(path, limit: 65_536) else { return nil }
        return try? JSONDecoder().decode(Self.self, from: Data(bytes))
    }

    func write(to path: String) throws {
        try AtomicFile.replace(path, with: Array(try JSONEncoder().encode(self)), permissions: 0o600)
    }
}
