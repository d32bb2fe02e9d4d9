import FoundationEssentials
import GRDB

/// A page of a SQLite database that holds rows, entries of an index, or the way to them.
struct DatabasePage {
    enum Kind: UInt8 {
        case indexInterior = 0x02
        case tableInterior = 0x05
        case indexLeaf = 0x0A
        case tableLeaf = 0x0D
    }

    /// A row of a table, or an entry of an index, which has no number of its own.
    struct Row {
        var number: Int64
        var values: [DatabaseValue]
    }

    let kind: Kind
    /// The pages below it.
    let children: [Int]
    private let bytes: [UInt8]
    private let cells: [Int]

    /// Reads a page's header; nil where it is not such a page.
    init?(_ bytes: [UInt8], number: Int) {
        // The first page begins with the file's header.
        let start = number == 1 ? 100 : 0
        guard let kind = Kind(rawValue: bytes[start]) else { return nil }
        let isInterior = kind == .tableInterior || kind == .indexInterior
        let directory = start + (isInterior ? 12 : 8)
        let count = bytes.number(at: start + 3, length: 2)
        guard directory + 2 * count <= bytes.count else { return nil }
        self.kind = kind
        self.bytes = bytes
        cells = (0..<count).map { bytes.number(at: directory + 2 * $0, length: 2) }
        children =
            isInterior ? cells.map { bytes.number(at: $0, length: 4) } + [bytes.number(at: start + 8, length: 4)] : []
    }

    /// The rows or entries that can be read, and the number of those that cannot.
    func rows(of pages: DatabasePages) -> (rows: [Row], unreadable: Int) {
        guard kind != .tableInterior else { return ([], 0) }
        let rows = cells.compactMap { row(at: $0, of: pages) }
        return (rows, cells.count - rows.count)
    }

    /// The number of the last row of a table's leaf, 0 where it has none; nil where it cannot be read.
    var lastNumber: Int64? {
        guard kind == .tableLeaf else { return nil }
        guard var place = cells.last else { return 0 }
        guard bytes.variableNumber(at: &place) != nil else { return nil }
        return bytes.variableNumber(at: &place)
    }

    private func row(at cell: Int, of pages: DatabasePages) -> Row? {
        var place = cell + (kind == .indexInterior ? 4 : 0)
        guard let length = bytes.variableNumber(at: &place),
            (1...Int64(pages.count) * Int64(bytes.count)).contains(length)
        else { return nil }
        var number: Int64 = 0
        if kind == .tableLeaf {
            guard let own = bytes.variableNumber(at: &place) else { return nil }
            number = own
        }
        guard let payload = payload(Int(length), at: place, of: pages), let values = Self.values(in: payload) else {
            return nil
        }
        return Row(number: number, values: values)
    }

    /// "Cell Payload Overflow Pages" of the file format's description.
    private func payload(_ length: Int, at place: Int, of pages: DatabasePages) -> [UInt8]? {
        let usable = bytes.count
        let most = kind == .tableLeaf ? usable - 35 : (usable - 12) * 64 / 255 - 23
        let least = (usable - 12) * 32 / 255 - 23
        let fitting = least + (length - least) % (usable - 4)
        let local = length <= most ? length : fitting <= most ? fitting : least
        guard place + local <= bytes.count else { return nil }
        var payload = Array(bytes[place..<place + local])
        guard local < length else { return payload }
        payload.reserveCapacity(length)
        guard place + local + 4 <= bytes.count else { return nil }
        var next = bytes.number(at: place + local, length: 4)
        while payload.count < length {
            // No more pages than the length takes, so that a cycle ends too.
            guard next > 1, let page = pages.page(next) else { return nil }
            payload += page[4...].prefix(length - payload.count)
            next = page.number(at: 0, length: 4)
        }
        return next == 0 ? payload : nil
    }

    /// "Record Format" of the file format's description.
    private static func values(in payload: [UInt8]) -> [DatabaseValue]? {
        var place = 0
        guard let header = payload.variableNumber(at: &place), header <= payload.count, header >= place else {
            return nil
        }
        var body = Int(header)
        var values: [DatabaseValue] = []
        while place < header {
            guard let type = payload.variableNumber(at: &place), type >= 0, type != 10, type != 11 else { return nil }
            let length = type >= 12 ? (type - 12) / 2 : [0, 1, 2, 3, 4, 6, 8, 8, 0, 0][Int(type)]
            guard length <= payload.count - body else { return nil }
            let end = body + Int(length)
            values.append(value(type, payload[body..<end]))
            body = end
        }
        return place == header && body == payload.count ? values : nil
    }

    private static func value(_ type: Int64, _ bytes: ArraySlice<UInt8>) -> DatabaseValue {
        let number = bytes.reduce(bytes.first.map { $0 >= 0x80 && type <= 6 } == true ? -1 : 0 as Int64) {
            $0 << 8 | Int64($1)
        }
        return switch type {
        case 0: .null
        case 1...6: number.databaseValue
        case 7: Double(bitPattern: UInt64(bitPattern: number)).databaseValue
        case 8: (0 as Int64).databaseValue
        case 9: (1 as Int64).databaseValue
        case _ where type.isMultiple(of: 2): bytes.withUnsafeBytes { Data($0) }.databaseValue
        default: String(decoding: bytes, as: UTF8.self).databaseValue
        }
    }
}

extension [UInt8] {
    /// One to nine bytes, the most significant first; nil beyond the end.
    fileprivate func variableNumber(at place: inout Int) -> Int64? {
        var number: Int64 = 0
        for index in 0..<9 {
            guard indices.contains(place) else { return nil }
            let byte = self[place]
            place += 1
            if index == 8 { return number << 8 | Int64(byte) }
            number = number << 7 | Int64(byte & 0x7F)
            if byte < 0x80 { return number }
        }
        return nil
    }
}

/// The pages of a table or an index, as far as they lead to each other.
struct DatabaseTree {
    private(set) var leaves: [Int] = []
    /// Pages with an index's entries.
    private(set) var entries: [Int] = []
    private(set) var isBroken = false

    init(from root: Int, in pages: DatabasePages, _ reached: inout Set<Int>) {
        var ahead = [root]
        while let number = ahead.popLast() {
            guard reached.insert(number).inserted,
                let page = pages.page(number).flatMap({ DatabasePage($0, number: number) })
            else {
                isBroken = true
                continue
            }
            if page.kind == .tableLeaf { leaves.append(number) }
            if page.kind == .indexLeaf || page.kind == .indexInterior { entries.append(number) }
            ahead += page.children.reversed()
        }
    }
}

/// The pages with the rows of a damaged database. The pages that lead to them may be gone.
struct DatabaseRows {
    /// The pages with rows, up-to-date ones first.
    private(set) var leaves: [Int] = []
    /// The pages among them whose rows may have been changed or deleted since.
    private(set) var old: Set<Int> = []
    /// Pages with the entries of an index, by its name.
    private(set) var entries: [String: [Int]] = [:]
    /// Tables and indexes whose pages can all be read.
    private(set) var sound: Set<String> = []
    /// Whether each page to which none leads holds rows or the way to them, or is free: none that held some is missing.
    private(set) var areOrphansKnown = false
    /// The pages on which tables and indexes begin.
    private var roots: [String: Int]
    private let pages: DatabasePages

    /// `outline` tells where tables and indexes begin, where the database itself cannot.
    init(_ pages: DatabasePages, outline: SchemaCopy?) {
        self.pages = pages
        var reached: Set<Int> = []
        let schema = DatabaseTree(from: 1, in: pages, &reached)
        roots = Dictionary((outline?.entries ?? []).map { ($0.name, $0.root) }) { $1 }
        for entry in schema.leaves.flatMap({ SchemaCopy.entries(on: $0, of: pages) })
        where roots[entry.name] == nil { roots[entry.name] = entry.root }
        var isBroken = schema.isBroken || roots.isEmpty
        for (name, root) in roots where root > 1 {
            let tree = DatabaseTree(from: root, in: pages, &reached)
            leaves += tree.leaves
            if !tree.entries.isEmpty { entries[name] = tree.entries }
            if tree.isBroken { isBroken = true } else { sound.insert(name) }
        }
        findOrphans(reached, isBroken)
        old.formUnion(leaves.filter(pages.isOld))
        leaves = leaves.filter { !old.contains($0) } + leaves.filter(old.contains)
    }

    /// Whether there is a table or an index of this name.
    func has(_ name: String) -> Bool { roots[name] != nil }

    /// The number of a table's last row, 0 of an empty one; nil where a page on the way to it is damaged, or not in its
    /// newest version.
    func lastNumber(in table: String) -> Int64? {
        guard var number = roots[table] else { return nil }
        // No deeper than there are pages, so that a cycle ends too.
        for _ in 0..<pages.count {
            guard !pages.isOld(number), let page = pages.page(number).flatMap({ DatabasePage($0, number: number) })
            else {
                return nil
            }
            guard let next = page.children.last else { return page.lastNumber }
            number = next
        }
        return nil
    }

    /// Whether a table's first page is damaged.
    func isRootLost(of table: String) -> Bool {
        guard let root = roots[table] else { return false }
        return pages.isOld(root) || pages.page(root).flatMap { DatabasePage($0, number: root) } == nil
    }

    /// Whether commits may be lost of which nothing tells how many there were.
    var isEndUnknown: Bool { pages.isEndUnknown }

    func rows(on number: Int) -> (rows: [DatabasePage.Row], unreadable: Int) {
        pages.page(number).flatMap { DatabasePage($0, number: number) }?.rows(of: pages) ?? ([], 0)
    }

    /// Finds pages with rows to which no page leads any more. Free pages still contain what they held before: where the
    /// free list cannot be read, the orphans count as old, and are not looked for unless something is missing.
    private mutating func findOrphans(_ reached: Set<Int>, _ isBroken: Bool) {
        let free = pages.freePages()
        guard free != nil || isBroken, pages.count > 1 else { return }
        areOrphansKnown = free != nil
        for number in 2...pages.count where !reached.contains(number) && free?.contains(number) != true {
            let kind = pages.page(number).flatMap { DatabasePage($0, number: number) }?.kind
            // Damaged, or the rest of a long row.
            if kind == nil || pages.isOld(number) { areOrphansKnown = false }
            guard kind == .tableLeaf else { continue }
            leaves.append(number)
            if free == nil { old.insert(number) }
        }
    }
}
