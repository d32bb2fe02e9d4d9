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
    /// The highest number that is known, where one can be read; asked for when the first row cannot be.
    private lazy var last = highestNumber()

    private static let pieceLength = 200

    init(database: DatabaseQueue, table: String, columns: [String]) {
        (self.database, self.table) = (database, table)
        self.columns = columns.map { "\"\($0)\"" }.joined(separator: ", ")
    }

    /// Nil at the end.
    func next() -> Piece? {
        guard !isOver else { return nil }
        do {
            return try read(Self.pieceLength)
        } catch {
            return oneByOne()
        }
    }

    private func read(_ count: Int) throws -> Piece {
        let rows = try rows(behind: position, count)
        if rows.count < count { isOver = true }
        if let last = rows.last { position = last.number }
        return Piece(rows: rows.map(\.values))
    }

    /// What stands before the damage, row by row, and then the first row behind it.
    private func oneByOne() -> Piece {
        var piece = Piece()
        while piece.rows.count < Self.pieceLength, !isOver {
            do {
                piece.rows += try read(1).rows
            } catch {
                piece.unreadable += 1
                passDamage()
                break
            }
        }
        return piece
    }

    /// Passes over what cannot be read: number by number, so that no row is passed over that can be, and in leaps where a
    /// page that names many others must be damaged. What is a gap between rows costs nothing.
    private func passDamage() {
        // Numbers begin at 1.
        let start = max(position, 0)
        var (unreadable, step): (Int64, Int64) = (start, 1)
        var readable: Int64?
        while readable == nil, unreadable < last {
            let place = last - unreadable > step ? unreadable + step : last
            if isReadable(behind: place) { readable = place } else { unreadable = place }
            if unreadable - start >= Self.mostSteps { step *= 2 }
        }
        guard var readable else {
            isOver = true
            return
        }
        while readable - unreadable > 1 {
            let middle = unreadable + (readable - unreadable) / 2
            if isReadable(behind: middle) { readable = middle } else { unreadable = middle }
        }
        position = readable
    }

    /// More numbers than stand on one page, and less than a second's questions.
    private static let mostSteps: Int64 = 4096

    private func isReadable(behind number: Int64) -> Bool { (try? rows(behind: number, 1)) != nil }

    /// Where the end of the table is damaged too, as high as rows and the count of given numbers tell.
    private func highestNumber() -> Int64 {
        let questions = ["SELECT max(rowid) FROM \"\(table)\"", "SELECT max(seq) FROM sqlite_sequence"]
        let found = questions.compactMap { sql in try? database.read { try Int64.fetchOne($0, sql: sql) } }
        // Beyond this no sum of a leap would be a number.
        return min(found.max() ?? Self.mostNumbers, Int64.max / 4)
    }

    /// More rows than a queue ever had, where nothing tells how many there are.
    private static let mostNumbers: Int64 = 1 << 32

    private typealias Numbered = (number: Int64, values: [DatabaseValue])

    private func rows(behind number: Int64, _ count: Int) throws -> [Numbered] {
        try database.read { db in
            let sql = "SELECT \(columns), rowid FROM \"\(table)\" WHERE rowid > ? ORDER BY rowid LIMIT ?"
            return try Row.fetchAll(db, sql: sql, arguments: [number, count]).map { row in
                let values = Array(row.databaseValues)
                return (values.last.flatMap(Int64.fromDatabaseValue) ?? number, Array(values.dropLast()))
            }
        }
    }
}
