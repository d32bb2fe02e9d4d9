/// The stored pictures of a printer: in NV memory until they are deleted, in working memory until `ESC @`.
struct GraphicsMemory {
    /// The capacity in bytes; a TM-T88 has 384 KB of NV memory for graphics.
    private static let capacity = 384 << 10

    struct Key: Hashable {
        var first: Int
        var second: Int

        var name: String {
            let codes = [first, second]
            guard codes.allSatisfy({ (0x20...0x7E).contains($0) }) else { return "\(first) \(second)" }
            return String(decoding: codes.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        }
    }

    /// The NV graphics of `GS ( L` functions 67 to 69.
    private(set) var stored: [Key: Bitmap] = [:]
    /// The download graphics of `GS ( L` functions 83 to 85.
    private(set) var downloaded: [Key: Bitmap] = [:]
    /// The NV bit images of `FS q`, by their numbers from 1.
    private(set) var logos: [Bitmap] = []
    /// The download bit image of `GS *`.
    var downloadImage: Bitmap?
    /// The graphics of `GS ( L` function 112, which function 50 prints.
    var pending: Bitmap?
    /// The second colour of the same.
    var pendingRed: Bitmap?

    mutating func clearWorkingMemory() {
        downloaded = [:]
        downloadImage = nil
        pending = nil
        pendingRed = nil
    }

    private var used: Int { (stored.values.map(\.bytes.count) + logos.map(\.bytes.count)).reduce(0, +) }
    private var usedForDownloads: Int { downloaded.values.map(\.bytes.count).reduce(0, +) }

    /// Stores NV graphics. Returns false where there is no room.
    mutating func store(_ picture: Bitmap, as key: Key) -> Bool {
        let free = Self.capacity - used + (stored[key]?.bytes.count ?? 0)
        guard picture.bytes.count <= free else { return false }
        stored[key] = picture
        return true
    }

    /// Stores download graphics. Returns false where there is no room.
    mutating func download(_ picture: Bitmap, as key: Key) -> Bool {
        let free = Self.capacity - usedForDownloads + (downloaded[key]?.bytes.count ?? 0)
        guard picture.bytes.count <= free else { return false }
        downloaded[key] = picture
        return true
    }

    mutating func delete(_ key: Key) -> Bool { stored.removeValue(forKey: key) != nil }

    mutating func deleteDownload(_ key: Key) -> Bool { downloaded.removeValue(forKey: key) != nil }

    mutating func deleteStored() { stored = [:] }

    mutating func deleteDownloads() { downloaded = [:] }

    /// Replaces all NV bit images. Returns false where there is no room; then none remain.
    mutating func setLogos(_ pictures: [Bitmap]) -> Bool {
        logos = []
        guard pictures.reduce(0, { $0 + $1.bytes.count }) <= Self.capacity - used else { return false }
        logos = pictures
        return true
    }
}
