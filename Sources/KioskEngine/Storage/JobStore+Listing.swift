internal import GRDB
internal import PrintModel

extension JobStore {
    /// Jobs as they are stored, newest first.
    func jobs(_ filter: JobFilter) async throws -> [Job] {
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
        if let before = filter.before {
            conditions.append("id < ?")
            arguments += [before]
        }
        arguments += [min(max(filter.limit, 1), 1000)]
        let sql = "SELECT * FROM job WHERE \(conditions.joined(separator: " AND ")) ORDER BY id DESC LIMIT ?"
        return try await read { [arguments] db in
            try Row.fetchAll(db, sql: sql, arguments: arguments).map { try JobRecord(row: $0).job }
        }
    }
}
