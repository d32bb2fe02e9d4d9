internal import GRDB

/// Reads a damaged table in the order of its rows, around what cannot be read.
final class RowReader {
    /// Some rows, and how many places between them could not be read.
    struct Piece {
        /// The values of the columns, in their order.
        var rows: [[DatabaseValue]] = []
        var unreadable = 0
    }

    private let database: DatabaseQueue
    private let table: String
    private let columns: String
    /// The last row that was read or passed over.
    private var position = Int64.min
    private var isOver = false
    /// Places in a row that could not be read.
    private var failures = 0

    private static let pieceLength = 200
    /// So many numbers are looked at one by one where rows could not be read in a piece.
    private static let step: Int64 = 200
    /// A table that is damaged for so long has nothing more to give.
    private static let mostFailures = 5000

    init(database: DatabaseQueue, table: String, columns: [String]) {
        (self.database, self.table) = (database, table)
        self.columns = columns.map { "\"\($0)\"" }.joined(separator: ", ")
    }

    /// Nil at the end.
    func next() -> Piece? {
        guard !isOver else { return nil }
        do {
            let rows = try rows("rowid > ? ORDER BY rowid LIMIT \(Self.pieceLength)", position)
            if rows.count < Self.pieceLength { isOver = true }
            if let last = rows.last { position = last.number }
            return Piece(rows: rows.map(\.values))
        } catch {
            return oneByOne()
        }
    }

    private func oneByOne() -> Piece {
        var piece = Piece()
        // Numbers begin at 1.
        let start = max(position, 0)
        for number in start + 1...start + Self.step {
            do {
                piece.rows += try rows("rowid = ?", number).map(\.values)
                failures = 0
            } catch {
                piece.unreadable += 1
                failures += 1
            }
        }
        position = start + Self.step
        isOver = failures >= Self.mostFailures
        return piece
    }

    private typealias Numbered = (number: Int64, values: [DatabaseValue])

    private func rows(_ condition: String, _ number: Int64) throws -> [Numbered] {
        try database.read { db in
            let sql = "SELECT \(columns), rowid FROM \"\(table)\" WHERE \(condition)"
            return try Row.fetchAll(db, sql: sql, arguments: [number]).map { row in
                let values = Array(row.databaseValues)
                return (values.last.flatMap(Int64.fromDatabaseValue) ?? number, Array(values.dropLast()))
            }
        }
    }
}
