import GRDB
import KioskPrintModel

extension JobStore {
    /// Some jobs as they are stored, newest first.
    struct Page: Sendable {
        var jobs: [Job] = []
        /// The last row's number, where there may be more behind it.
        var last: Job.ID?
        /// Why a job is missing whose row the disk has damaged.
        var damage: EngineError?
    }

    /// The jobs that match, at most `filter.limit` of them.
    func jobs(_ filter: JobFilter) async throws -> Page {
        let limit = min(max(filter.limit, 1), 1000)
        var conditions = Conditions(filter)
        conditions.arguments += [limit]
        let sql = "SELECT * FROM job WHERE \(conditions.sql) ORDER BY id DESC LIMIT ?"
        let arguments = conditions.arguments
        return try await read { db in
            let rows = try Row.fetchAll(db, sql: sql, arguments: arguments)
            var page = Page(last: rows.count == limit ? try rows.last?.value("id") : nil)
            for row in rows {
                do throws(EngineError) {
                    page.jobs.append(try JobRecord(row: row).job)
                } catch {
                    page.damage = error
                }
            }
            return page
        }
    }
}

/// What a filter asks of rows of table `job`.
private struct Conditions {
    private var parts = ["TRUE"]
    /// The values of the conditions' question marks.
    var arguments = StatementArguments()

    var sql: String { parts.joined(separator: " AND ") }

    init(_ filter: JobFilter) {
        add("role = ?", filter.role?.rawValue)
        add("printer = ?", filter.printer?.rawValue)
        if let states = filter.states {
            parts.append("state IN (\(databaseQuestionMarks(count: states.count)))")
            arguments += StatementArguments(states.map(\.rawValue))
        }
        add("created_at >= ?", filter.since?.millisecondsSince1970)
        add("created_at < ?", filter.until?.millisecondsSince1970)
        // As SQLite's LIKE has it: a to z in any case.
        let pattern = filter.name.map { (name) -> String in
            "%\(name.map { "\\%_".contains($0) ? "\\\($0)" : "\($0)" }.joined())%"
        }
        add("name LIKE ? ESCAPE '\\'", pattern)
        add("owner = ?", filter.owner.map(OwnerColumn.number))
        add("id < ?", filter.before)
    }

    /// A condition with one value; none where the filter does not ask for it.
    private mutating func add(_ condition: String, _ value: (some DatabaseValueConvertible)?) {
        guard let value else { return }
        parts.append(condition)
        arguments += [value]
    }
}
