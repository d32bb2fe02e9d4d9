import GRDB
import PrintModel

extension JobStore {
    /// Some jobs as they are stored, newest first.
    struct Page: Sendable {
        var jobs: [Job] = []
        /// The last row's number, where there may be more behind it.
        var last: Job.ID?
        /// Why a job is missing whose row the disk has damaged.
        var damage: EngineError?
    }

    func jobs(_ filter: JobFilter) async throws -> Page {
        var conditions = ["TRUE"]
        var arguments = StatementArguments()
        if let role = filter.role {
            conditions.append("role = ?")
            arguments += [role.rawValue]
        }
        if let printer = filter.printer {
            conditions.append("printer = ?")
            arguments += [printer.rawValue]
        }
        if let states = filter.states {
            conditions.append("state IN (\(databaseQuestionMarks(count: states.count)))")
            arguments += StatementArguments(states.map(\.rawValue))
        }
        if let since = filter.since {
            conditions.append("created_at >= ?")
            arguments += [since.millisecondsSince1970]
        }
        if let until = filter.until {
            conditions.append("created_at < ?")
            arguments += [until.millisecondsSince1970]
        }
        if let name = filter.name {
            // As SQLite's LIKE has it: a to z in any case.
            let pattern = name.map { "\\%_".contains($0) ? "\\\($0)" : "\($0)" }.joined()
            conditions.append("name LIKE ? ESCAPE '\\'")
            arguments += ["%\(pattern)%"]
        }
        if let owner = filter.owner {
            conditions.append("owner = ?")
            arguments += [Int64(owner)]
        }
        if let before = filter.before {
            conditions.append("id < ?")
            arguments += [before]
        }
        let limit = min(max(filter.limit, 1), 1000)
        arguments += [limit]
        let sql = "SELECT * FROM job WHERE \(conditions.joined(separator: " AND ")) ORDER BY id DESC LIMIT ?"
        return try await read { [arguments] db in
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
