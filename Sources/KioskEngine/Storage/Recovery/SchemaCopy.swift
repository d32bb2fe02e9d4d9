import FoundationEssentials
import GRDB
import KioskDurableFiles

/// A copy of what only a database's first page tells, kept in a file beside it: the parts of the header that never
/// change, and the root pages of tables and indexes. A database that differs from it is damaged; where the database
/// cannot be read, the copy is used.
struct SchemaCopy: Hashable, Codable, Sendable {
    let pageSize: Int
    /// A table or an index.
    struct Entry: Hashable, Codable, Sendable {
        var name: String
        var root: Int
        var sql: String?
    }

    let entries: [Entry]
    private let header: [UInt8]

    /// Reads the first page; nil where it, or a page that it leads to, cannot be read.
    init?(of pages: DatabasePages) {
        guard let first = pages.page(1), first.starts(with: DatabasePages.magic) else { return nil }
        pageSize = pages.pageSize
        // Page size and format versions; then, behind the schema cookie: encoding, vacuum mode, user version,
        // application id.
        header = Array(first[16..<24] + first[44..<92])
        var reached: Set<Int> = []
        let tree = DatabaseTree(from: 1, in: pages, &reached)
        guard !tree.isBroken else { return nil }
        entries = tree.leaves.flatMap { Self.entries(on: $0, of: pages) }.sorted { $0.name < $1.name }
    }

    /// The entries of `sqlite_schema` that can be read.
    static func entries(on number: Int, of pages: DatabasePages) -> [Entry] {
        guard let page = pages.page(number).flatMap({ DatabasePage($0, number: number) }) else { return [] }
        return page.rows(of: pages).rows.compactMap { row in
            guard row.values.count == 5, let name = String.fromDatabaseValue(row.values[1]),
                let root = Int.fromDatabaseValue(row.values[3])
            else { return nil }
            return Entry(name: name, root: root, sql: String.fromDatabaseValue(row.values[4]))
        }
    }

    /// Reads the copy; nil where there is none, or none that can be read.
    static func read(_ path: String) -> SchemaCopy? {
        guard let bytes = try? AtomicFile.read(path, limit: 1 << 20) else { return nil }
        return try? JSONDecoder().decode(Self.self, from: Data(bytes))
    }

    func write(to path: String) throws {
        guard Self.read(path) != self else { return }
        try AtomicFile.replace(path, with: Array(try JSONEncoder().encode(self)), permissions: 0o600)
    }
}
