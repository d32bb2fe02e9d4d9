/// One of the things that a printer uses up, as it says itself: toner, ink, a ribbon, a waste box.
public struct Supply: Hashable, Sendable, Codable {
    /// The printer's own word; hostile until shown escaped.
    public var name: String
    /// A keyword of PWG 5100.9's `marker-types`: `toner`, `ink-cartridge`, `waste-toner`.
    public var type: String?
    /// `#RRGGBB`, or several of them in a row.
    public var color: String?
    /// In percent, 0 to 100; nil where the printer cannot tell.
    public var level: Int?
    /// At or below this level (at or above it, for what fills with waste) somebody is to look after it.
    public var lowLevel: Int?

    public init(name: String, type: String? = nil, color: String? = nil, level: Int? = nil, lowLevel: Int? = nil) {
        self.name = name
        self.type = type
        self.color = color
        self.level = level
        self.lowLevel = lowLevel
    }

    enum CodingKeys: String, CodingKey {
        case name, type, color, level
        case lowLevel = "low-level"
    }
}
