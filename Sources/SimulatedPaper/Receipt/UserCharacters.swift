/// The characters that a job defined (`ESC &`): a picture for a code and a font. They last until `ESC @`.
struct UserCharacters {
    /// Whether they are printed instead of the printer's own (`ESC %`).
    var areShown = false
    private var pictures: [Key: Bitmap] = [:]

    private struct Key: Hashable {
        var font: String
        var code: UInt8
    }

    /// The codes that may be defined.
    static let codes: ClosedRange<UInt8> = 0x20...0x7E

    /// The picture of a character; nil where the printer's own is printed.
    func picture(_ code: UInt8, _ font: PrinterFont) -> Bitmap? {
        guard areShown, !pictures.isEmpty else { return nil }
        return pictures[Key(font: font.name, code: code)]
    }

    /// Defines a character, or forgets it.
    mutating func set(_ code: UInt8, _ font: PrinterFont, _ picture: Bitmap?) {
        guard Self.codes.contains(code) else { return }
        pictures[Key(font: font.name, code: code)] = picture
    }

    mutating func forgetAll() { self = UserCharacters() }
}
