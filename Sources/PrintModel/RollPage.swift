/// A page for a roll of paper, which is cut to the page's length, in hundredths of a millimetre.
public struct RollPage: Hashable, Sendable {
    /// The roll's.
    public var width: Int
    public var length: Int

    public init(width: Int, length: Int) {
        self.width = width
        self.length = length
    }
}
