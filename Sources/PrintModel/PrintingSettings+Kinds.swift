extension PrintingSettings {
    public enum Language: String, Hashable, Sendable, Codable, CaseIterable {
        case escPOS = "esc-pos"
        case starPRNT = "star-prnt"
        case starLine = "star-line"
        /// Star's raster mode and nothing else: printers without characters of their own.
        case starRaster = "star-raster"
        case zpl
        case epl2
        case tspl
        /// Lines of text and form feeds, no commands.
        case text
        /// Pixels in a format of IPP: PWG raster, Apple raster or the like, as the printer says.
        case raster

        public var isForLabels: Bool { [.zpl, .epl2, .tspl].contains(self) }

        /// How its pictures are sent, the one that most printers know first; none where there is but one way.
        public var rasterMethods: [Raster.Method] {
            switch self {
            case .escPOS: [.gsV0, .gsL, .columns]
            case .starPRNT: [.escGsS, .escStarR, .columns]
            case .starLine: [.escStarR, .columns]
            case .starRaster: [.escStarR]
            case .zpl, .epl2, .tspl, .text, .raster: []
            }
        }
    }

    /// A character's box in dots, as profiles write it: `12x24`.
    public struct Font: Hashable, Sendable {
        public var width: Int
        public var height: Int

        public init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }
    }

    /// The codes that receipts may hold, by ReceiptLine's names and the two that it lacks.
    public enum Symbology: String, Hashable, Sendable, Codable, CaseIterable {
        case upc, ean, code39, itf, codabar, code93, code128, qrcode, pdf417, datamatrix
    }

    public enum Cut: String, Hashable, Sendable, Codable, CaseIterable {
        case full
        /// Leaves a point of paper standing.
        case partial
    }

    /// How the printer takes pictures.
    public struct Raster: Hashable, Sendable, Codable {
        /// Nil where the language has but one.
        public var method: Method?
        /// The most rows of one command.
        public var band: Int
        /// What its receive buffer holds, in bytes.
        public var buffer: Int

        public enum Method: String, Hashable, Sendable, Codable, CaseIterable {
            /// ESC/POS `GS v 0`.
            case gsV0 = "gs-v-0"
            /// ESC/POS `GS ( L` and `GS 8 L`, functions 112 and 50.
            case gsL = "gs-l"
            /// ESC/POS `ESC *` or Star `ESC X`: 24 rows at a time.
            case columns
            /// StarPRNT `ESC GS S`.
            case escGsS = "esc-gs-s"
            /// Star `ESC * r`.
            case escStarR = "esc-star-r"
        }

        public init(method: Method? = nil, band: Int = 256, buffer: Int = 4096) {
            self.method = method
            self.band = band
            self.buffer = buffer
        }
    }

    /// Labels that the printer holds, as long as nobody says another size.
    public struct Label: Hashable, Sendable, Codable {
        /// In millimetres.
        public var width: Int
        public var height: Int
        /// Between two labels, in millimetres: 0 is endless paper.
        public var gap: Int
        /// In the printer's language: ZPL `~SD` 0 to 30, EPL2 `D` and TSPL `DENSITY` 0 to 15. Nil leaves what the
        /// printer is set to.
        public var darkness: Int?
        /// Inches a second; nil leaves what the printer is set to.
        public var speed: Int?

        public init(width: Int, height: Int, gap: Int = 3, darkness: Int? = nil, speed: Int? = nil) {
            self.width = width
            self.height = height
            self.gap = gap
            self.darkness = darkness
            self.speed = speed
        }
    }
}

extension PrintingSettings.Font: CustomStringConvertible {
    public var description: String { "\(width)x\(height)" }

    /// Reads `12x24`; nil for anything else, and for cells that no printer has.
    public init?(_ text: String) {
        let (width, height) = text.splitOnce(at: "x")
        guard let width = Self.number(width), let height = height.flatMap(Self.number) else { return nil }
        self.init(width: width, height: height)
    }

    /// Dots of a cell's side.
    package static let sides = 4...128

    private static func number(_ text: Substring) -> Int? {
        // The initializer would take a sign too.
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text), sides.contains(number)
        else { return nil }
        return number
    }
}

extension PrintingSettings.Font: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let font = try PrintingSettings.Font(container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no character cell such as 12x24")
        }
        self = font
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
