import Foundation
import GRDB
import TestSupport
import Testing

@testable import KioskEngine

@Suite struct RowReaderTests {
    private static let pageSize = 4096

    @Test(arguments: [1, 10_000, 1_000_000_000] as [Int64])
    func `a damaged page takes the rows on it along and no others, however far apart their numbers are`(gap: Int64) throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("notes.sqlite")
        let queue = try DatabaseQueue(path: path)
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE note (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL)")
            for number in 1...300 as ClosedRange<Int64> {
                let text = "note \(number) " + String(repeating: "x", count: 400)
                try db.execute(sql: "INSERT INTO note VALUES (?, ?)", arguments: [number * gap, text])
            }
        }
        try queue.close()
        try damagePage(of: "note 150 x", in: path)
        let reader = RowReader(database: try DatabaseQueue(path: path), table: "note", columns: ["id", "text"])
        var (found, unreadable): ([Int64], Int) = ([], 0)
        while let piece = reader.next() {
            found += piece.rows.compactMap { Int64.fromDatabaseValue($0[0]).map { $0 / gap } }
            unreadable += piece.unreadable
        }
        let missing = Set(1...300).subtracting(found)
        #expect(found == found.sorted() && found.count + missing.count == 300)
        #expect(missing.contains(150) && missing.count <= Self.pageSize / 400, "\(missing.sorted())")
        #expect(unreadable == 1)
    }

    private func damagePage(of text: String, in path: String) throws {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let place = try #require(bytes.range(of: Data(text.utf8))).lowerBound
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.seek(toOffset: UInt64(place / Self.pageSize * Self.pageSize))
        try file.write(contentsOf: [UInt8](repeating: 0xFF, count: Self.pageSize))
        try file.close()
    }
}
