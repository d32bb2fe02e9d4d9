import GRDB

extension Row {
    /// A column's value. Throws `storage-damaged` where the disk gave back one of another class than the column holds:
    /// the subscript would end the process there, and at each new start again.
    func value<Value: DatabaseValueConvertible>(
        _ column: String, as type: Value.Type = Value.self
    ) throws(EngineError) -> Value {
        do {
            return try decode(type, forColumn: column)
        } catch {
            throw .damagedRow("a value that is none of column \(column)")
        }
    }
}

extension EngineError {
    /// A row in the queue that cannot be what was written.
    static func damagedRow(_ what: String, of job: Int64? = nil) -> EngineError {
        let whose = job.map { "job \($0) in the queue" } ?? "the queue"
        return EngineError(
            .storageDamaged,
            "\(whose) has \(what); the next start of kioskd, which comes by itself, sets its file aside and recovers what can be read"
        )
    }
}
