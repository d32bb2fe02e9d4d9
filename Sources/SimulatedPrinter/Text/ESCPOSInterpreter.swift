import KioskPrintModel

/// Interprets ESC/POS (Epson's "ESC/POS Application Programming Guide") as far as a terminal can show it: text,
/// alignment, width, feeds and cuts. A code or an image becomes a placeholder word. Everything else is skipped by its
/// length. The output is bounded, and every byte is read once.
struct ESCPOSInterpreter {
    private static let lineLimit = 400
    /// The maximum bytes shown of a QR code's or barcode's data.
    private static let dataLimit = 200

    private var input: ArraySlice<UInt8>
    private var paper: TextPaper
    private var pendingText: [UInt8] = []
    private var codePage = ESCPOSCodePage.pc437
    private var symbol: [UInt8] = []

    init(_ bytes: some Collection<UInt8>, columns: Int) {
        input = Array(bytes)[...]
        paper = TextPaper(columns: columns)
    }

    /// Returns the printed paper.
    mutating func interpret() -> [PaperItem] {
        while let byte = take(), paper.items.count < Self.lineLimit {
            switch byte {
            case 0x0A: newLine()
            case 0x0C: newLine()
            case 0x09: pendingText.append(contentsOf: [0x20, 0x20])
            case 0x1B: escape()
            case 0x1D: group()
            case 0x1C: fieldSeparator()
            case 0x10: realTime()
            case 0x00..<0x20, 0x7F: break
            default: pendingText.append(byte)
            }
        }
        flush()
        paper.endLine(ifNotEmpty: true)
        return paper.items
    }

    // MARK: Input

    private mutating func take() -> UInt8? { input.popFirst() }

    private mutating func skip(_ count: Int) { input = input.dropFirst(max(0, count)) }

    private mutating func take(_ count: Int) -> ArraySlice<UInt8> {
        let bytes = input.prefix(max(0, count))
        input = input.dropFirst(bytes.count)
        return bytes
    }

    /// Takes two bytes, the low one first.
    private mutating func takeLength() -> Int {
        let bytes = take(2)
        return bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    private mutating func takeUntilNUL() -> ArraySlice<UInt8> {
        let text = input.prefix(while: { $0 != 0 })
        input = input.dropFirst(text.count + 1)
        return text
    }

    // MARK: Text

    private mutating func flush() {
        guard !pendingText.isEmpty else { return }
        paper.add(codePage.characters(of: pendingText))
        pendingText = []
    }

    private mutating func newLine() {
        flush()
        paper.endLine()
    }

    /// Prints a placeholder on its own line.
    private mutating func placeholder(_ text: String) {
        flush()
        paper.endLine(ifNotEmpty: true)
        paper.add(text.withoutControlCharacters)
        paper.endLine()
    }

    private func data(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: bytes.prefix(Self.dataLimit), as: UTF8.self).withoutControlCharacters
    }

    // MARK: ESC

    private mutating func escape() {
        guard let command = take() else { return }
        switch command {
        case UInt8(ascii: "@"):
            flush()
            codePage = .pc437
            paper.reset()
        case UInt8(ascii: "!"):
            let mode = take() ?? 0
            flush()
            paper.scale = mode & 0x20 == 0 ? 1 : 2
        case UInt8(ascii: "a"):
            let alignment = take() ?? 0
            flush()
            paper.alignment = TextPaper.Alignment(alignment)
        case UInt8(ascii: "t"):
            let page = take() ?? 0
            flush()
            codePage = ESCPOSCodePage(page)
        case UInt8(ascii: "d"):
            let lines = take() ?? 0
            newLine()
            for _ in 1..<min(10, max(1, Int(lines))) { paper.endLine() }
        case UInt8(ascii: "J"), UInt8(ascii: "K"):
            skip(1)
            flush()
            paper.endLine(ifNotEmpty: true)
        case UInt8(ascii: "i"), UInt8(ascii: "m"): cut()
        case UInt8(ascii: "p"):
            skip(3)
            placeholder("[drawer]")
        case UInt8(ascii: "*"):
            let mode = take() ?? 0
            let columns = takeLength()
            skip(columns * (mode >= 32 ? 3 : 1))
            placeholder("[image]")
        case UInt8(ascii: "D"): _ = takeUntilNUL()
        case UInt8(ascii: "$"), UInt8(ascii: "\\"), UInt8(ascii: "c"): skip(2)
        case UInt8(ascii: "W"): skip(8)
        case UInt8(ascii: "2"), UInt8(ascii: "L"), UInt8(ascii: "S"), UInt8(ascii: "<"), 0x0C: break
        default: skip(1)
        }
    }

    private mutating func cut() {
        flush()
        paper.cut()
    }

    // MARK: GS

    private mutating func group() {
        guard let command = take() else { return }
        switch command {
        case UInt8(ascii: "!"):
            let size = take() ?? 0
            flush()
            paper.scale = Int(size >> 4 & 7) + 1
        case UInt8(ascii: "V"):
            let mode = take() ?? 0
            if ![0, 1, 48, 49].contains(mode) { skip(1) }
            cut()
        case UInt8(ascii: "v"): rasterImage()
        case UInt8(ascii: "k"): barcode()
        case UInt8(ascii: "("): function(take(), length: takeLength())
        case UInt8(ascii: "8"):
            let function = take()
            let length = takeLength() | takeLength() << 16
            self.function(function, length: length)
        case UInt8(ascii: "*"):
            let (x, y) = (Int(take() ?? 0), Int(take() ?? 0))
            skip(x * y * 8)
        case UInt8(ascii: "$"), UInt8(ascii: "L"), UInt8(ascii: "W"), UInt8(ascii: "P"), UInt8(ascii: "\\"): skip(2)
        case UInt8(ascii: "^"), UInt8(ascii: "z"): skip(3)
        case UInt8(ascii: "g"): skip(4)
        case UInt8(ascii: ":"), UInt8(ascii: "c"): break
        default: skip(1)
        }
    }

    /// GS v 0 m xL xH yL yH d…
    private mutating func rasterImage() {
        skip(2)
        let (bytesPerLine, lines) = (takeLength(), takeLength())
        skip(bytesPerLine * lines)
        placeholder("[image \(bytesPerLine * 8) × \(lines)]")
    }

    /// GS k m d… NUL or GS k m n d…
    private mutating func barcode() {
        let system = take() ?? 0
        let bytes = system <= 6 ? takeUntilNUL() : take(Int(take() ?? 0))
        placeholder("[barcode \(data(bytes))]")
    }

    /// GS ( and GS 8: a function, the length of its parameters, and the parameters.
    private mutating func function(_ function: UInt8?, length: Int) {
        let parameters = take(length)
        let start = parameters.startIndex
        guard parameters.count >= 2 else { return }
        let number = parameters[start + 1]
        switch (function, number) {
        case (UInt8(ascii: "k"), 80): symbol = Array(parameters.dropFirst(3).prefix(Self.dataLimit))
        case (UInt8(ascii: "k"), 81):
            placeholder(parameters[start] == 49 ? "[QR code \(data(symbol))]" : "[2D code \(data(symbol))]")
        case (UInt8(ascii: "L"), 50), (UInt8(ascii: "L"), 2): placeholder("[image]")
        default: break
        }
    }

    // MARK: FS and DLE

    private mutating func fieldSeparator() {
        guard let command = take() else { return }
        switch command {
        case UInt8(ascii: "&"), UInt8(ascii: "."), UInt8(ascii: "2"): break
        case UInt8(ascii: "("): function(take(), length: takeLength())
        case UInt8(ascii: "p"), UInt8(ascii: "S"): skip(2)
        default: skip(1)
        }
    }

    private mutating func realTime() {
        switch take() {
        case 0x14: skip(3)
        case 0x04, 0x05: skip(1)
        default: break
        }
    }
}

/// The characters of the bytes from 0x80 in text that is not UTF-8.
private struct ESCPOSCodePage {
    private let upperHalf: [Character]

    /// `page` is the parameter of ESC t. An unknown page is treated as PC437.
    init(_ page: UInt8) {
        switch page {
        case 2, 19: self = .pc858
        default: self = .pc437
        }
    }

    private init(_ upperHalf: String) { self.upperHalf = Array(upperHalf) }

    static let pc437 = ESCPOSCodePage(
        "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀"
            + "αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■ ")
    static let pc858 = ESCPOSCodePage(
        "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈ€ÍÎÏ┘┌█▄¦Ì▀"
            + "ÓßÔÒõÕµþÞÚÛÙýÝ¯´­±‗¾¶§÷¸°¨·¹³²■ ")

    /// The text of `bytes`: UTF-8 if they are valid UTF-8, as in many modern receipts, otherwise in this code page.
    func characters(of bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text.withoutControlCharacters }
        return String(
            bytes.map { byte -> Character in
                guard byte >= 0x80 else { return Character(Unicode.Scalar(byte)) }
                let index = Int(byte) - 0x80
                return index < upperHalf.count ? upperHalf[index] : "?"
            }
        ).withoutControlCharacters
    }
}
