/// Pictures that a printer was given to keep: in its NV memory until they are deleted, in its working memory until `ESC
/// @`.
struct GraphicsMemory {
    /// Bytes of pictures; a TM-T88 has 384 KB of NV memory for them.
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

    /// `GS ( L` functions 67 to 69.
    private(set) var stored: [Key: Bitmap] = [:]
    /// `GS ( L` functions 83 to 85.
    private(set) var downloaded: [Key: Bitmap] = [:]
    /// `FS q`, by their numbers from 1.
    private(set) var logos: [Bitmap] = []
    /// `GS *`.
    var download: Bitmap?
    /// `GS ( L` function 112: waits for function 50.
    var pending: Bitmap?

    mutating func forgetWorkingMemory() {
        downloaded = [:]
        download = nil
        pending = nil
    }

    private var used: Int { (stored.values.map(\.bytes.count) + logos.map(\.bytes.count)).reduce(0, +) }
    private var usedForDownloads: Int { downloaded.values.map(\.bytes.count).reduce(0, +) }

    /// False where there is no room.
    mutating func store(_ picture: Bitmap, as key: Key) -> Bool {
        let free = Self.capacity - used + (stored[key]?.bytes.count ?? 0)
        guard picture.bytes.count <= free else { return false }
        stored[key] = picture
        return true
    }

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

    /// In place of all that were there.
    mutating func setLogos(_ pictures: [Bitmap]) -> Bool {
        logos = []
        guard pictures.reduce(0, { $0 + $1.bytes.count }) <= Self.capacity - used else { return false }
        logos = pictures
        return true
    }
}
