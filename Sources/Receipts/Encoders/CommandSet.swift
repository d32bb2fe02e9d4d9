import KioskPrintModel

/// The commands of a receipt printer's language, as `LineEncoder` combines them. A command set knows the printer's
/// capabilities but keeps no state: the encoder tracks which settings the printer has.
///
/// A language that lacks a feature keeps its default below.
protocol CommandSet: Sendable {
    associatedtype Command: ReceiptCommand
    associatedtype Capabilities: LinePrinterCapabilities

    var capabilities: Capabilities { get }

    /// Resets the printer and sets what stays for the whole receipt. Afterwards font A, no style, left justification
    /// and the initial code page are set.
    var initialize: [Command] { get }
    func raw(_ bytes: [UInt8]) -> Command

    // Text.

    /// The maximum magnification of characters in each direction; 0 where the printer has no characters.
    var maximumScale: Int { get }
    func codePage(_ number: UInt8, _ page: CodePage) -> Command
    /// The bytes are in the code page that is set. `text` is their meaning.
    func text(_ bytes: [UInt8], _ text: String) -> Command
    func font(_ font: ReceiptFont) -> Command
    func emphasis(_ isOn: Bool) -> Command
    /// `thickness` is 0 for none, and 2 only where the printer has thick underlines.
    func underline(_ thickness: Int) -> Command
    var hasThickUnderline: Bool { get }
    /// Whether text can be red. A line has one colour.
    var hasRed: Bool { get }
    func color(_ color: TextColor) -> [Command]
    func invert(_ isOn: Bool) -> Command
    func scale(width: Int, height: Int) -> Command
    /// Whether lines are turned upside down by a command, each by itself, since the printer takes no pictures of them.
    var turnsLines: Bool { get }
    func upsideDown(_ isOn: Bool) -> [Command]
    /// Sets the absolute position: the distance from the left margin, in dots.
    func position(_ dots: Int) -> Command
    func justification(_ alignment: HorizontalAlignment) -> Command

    // Paper.

    /// The maximum distance that a line feed moves the paper, in dots; nil where text is printed by `feed`.
    var maximumLineSpacing: Int? { get }
    func lineSpacing(_ dots: Int) -> [Command]
    var lineFeed: [Command] { get }
    /// Prints the current line, and moves the paper.
    func feed(_ dots: Int) -> [Command]
    /// Cuts with one of the cutter's modes, after a feed to the cutter.
    func cut(_ mode: CutMode) -> [Command]
    func pulse(_ kick: DrawerKick) -> [Command]
    /// None where the printer has no buzzer.
    func buzz(_ signal: BuzzerSignal) -> [Command]

    // Codes.

    /// Whether the printer draws the code itself, just as the layout has it.
    func prints(_ code: PlacedCode) -> Bool
    func code(_ code: PlacedCode) -> [Command]
    /// Narrows the print area to these dots. Languages without it print only codes in an area as wide as the paper.
    func printArea(_ area: Range<Int>) -> [Command]

    // Pictures.

    /// Prints a picture of the printer's memory; nil where it has none under that name.
    func logo(_ name: StoredLogo.Name) -> Command?
    /// Nil where the printer takes no pictures.
    var pictureFormat: PictureFormat? { get }
    /// The first bytes of these rows.
    func band(_ matrix: DotMatrix, rows: Range<Int>, bytesPerRow: Int) -> Command
    /// A strip of the format's height; nil where it is white.
    func strip(_ matrix: DotMatrix, from top: Int) -> Command?
    /// Whether the printer has no characters: then everything but drawer pulses and raw commands needs raster mode.
    var isRasterOnly: Bool { get }
    var enterRasterMode: [Command] { get }
    var leaveRasterMode: [Command] { get }
    func rasterFeed(_ dots: Int) -> [Command]
}

extension CommandSet {
    var hasThickUnderline: Bool { false }
    var hasRed: Bool { false }
    func color(_ color: TextColor) -> [Command] { [] }
    func buzz(_ signal: BuzzerSignal) -> [Command] { [] }
    var turnsLines: Bool { false }
    func upsideDown(_ isOn: Bool) -> [Command] { [] }
    func logo(_ name: StoredLogo.Name) -> Command? { nil }
    var maximumLineSpacing: Int? { nil }
    func lineSpacing(_ dots: Int) -> [Command] { [] }
    var lineFeed: [Command] { [] }
    func printArea(_ area: Range<Int>) -> [Command] { [] }
    func strip(_ matrix: DotMatrix, from top: Int) -> Command? { nil }
    var isRasterOnly: Bool { false }
    var enterRasterMode: [Command] { [] }
    var leaveRasterMode: [Command] { [] }
    func rasterFeed(_ dots: Int) -> [Command] { [] }
}

/// How a printer takes pictures.
enum PictureFormat: Hashable {
    /// Bands of rows.
    case bands
    /// Bands of rows in a raster mode, which text has to leave.
    case rasterMode
    /// Strips of this many rows, each on a separate line.
    case strips(rows: Int)
}

/// The capabilities that all languages of receipt printers share.
protocol LinePrinterCapabilities: Sendable {
    var paper: ReceiptPaper { get }
    var codePages: [CodePage: UInt8] { get }
    var initialCodePage: CodePage? { get }
    var cuts: Set<CutMode> { get }
    var tearFeed: Int { get }
    var bandRows: Int { get }
}

/// A command of a printer's language. Its description is for people.
protocol ReceiptCommand: CustomStringConvertible, Sendable {
    func write(to output: inout [UInt8])
}

extension Array where Element: ReceiptCommand {
    var bytes: [UInt8] { reduce(into: []) { $1.write(to: &$0) } }

    /// One command per line, for people.
    var dump: String { map { $0.description + "\n" }.joined() }
}

/// A command that is stored as its bytes, with its description.
struct EncodedCommand: ReceiptCommand, Hashable {
    let bytes: [UInt8]
    let description: String

    init(_ bytes: [UInt8], _ description: String) {
        self.bytes = bytes
        self.description = description
    }

    /// A command that is text: its description is the text without the line end.
    init(_ text: String, ending: String = "\n") {
        self.init(Array((text + ending).utf8), text)
    }

    /// Bytes that the receipt itself contains.
    init(raw bytes: [UInt8]) {
        self.init(bytes, "raw " + bytes.map { String($0) }.joined(separator: " "))
    }

    func write(to output: inout [UInt8]) { output += bytes }
}
