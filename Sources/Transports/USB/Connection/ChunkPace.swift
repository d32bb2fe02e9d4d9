/// How much of a document one transfer carries, and how many are under way.
struct ChunkPace: Sendable {
    private(set) var chunk = smallest

    /// Transfers under way at once.
    static let depth = 4
    static let smallest = 4096
    static let largest = 16384

    /// A transfer ended.
    mutating func ended(_ length: Int) {
        chunk = Self.largest
    }
}
