/// The data of GS1-128 in `GS k`: FNC1 comes first by itself; spaces and parentheses are only printed as text; `{1` is
/// FNC1, `{3` FNC3, `{(`, `{)`, `{*` and `{{` the characters themselves; `*` is a check digit over the digits since the
/// last parenthesis.
struct GS1Text {
    /// Nil is FNC1.
    private(set) var bytes: [UInt8?] = [nil]
    private(set) var text = ""

    init(_ data: [UInt8]) throws(SymbolError) {
        var data = data[...]
        var run: [Int] = []
        while let byte = data.popFirst() {
            switch byte {
            case UInt8(ascii: "{"):
                guard let code = data.popFirst() else { throw SymbolError("a brace at the end") }
                if code == UInt8(ascii: "1") {
                    bytes.append(nil)
                    text += " "
                } else if Array("(){*".utf8).contains(code) {
                    add(code)
                } else {
                    throw SymbolError("no such code after a brace")
                }
            case UInt8(ascii: "("), UInt8(ascii: ")"):
                run = []
                text += String(UnicodeScalar(byte))
            case 0x20: text += " "
            case UInt8(ascii: "*"):
                add(UInt8(ascii: "0") + UInt8(EANSymbol.check(run)))
            default:
                if (0x30...0x39).contains(byte) { run.append(Int(byte) - 0x30) }
                add(byte)
            }
        }
    }

    /// The data of ZPL's mode D: spaces and parentheses are only printed as text, `>8` is FNC1. The last digit of a
    /// shipping container code (00) or a trade item number (01, 02) is the printer's check digit, whatever was sent.
    init(zpl data: [UInt8]) throws(SymbolError) {
        var rest = data[...]
        /// The identifier in parentheses, and the digits after it.
        var identifier: [UInt8]?
        var run: [UInt8] = []
        var isInParentheses = false
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: ">"):
                switch rest.popFirst() {
                case UInt8(ascii: "8"):
                    bytes.append(nil)
                    identifier = nil
                case UInt8(ascii: "0"): add(byte)
                default: throw SymbolError("no such code after a >")
                }
            case UInt8(ascii: "("):
                (isInParentheses, identifier, run) = (true, [], [])
                text += "("
            case UInt8(ascii: ")"):
                isInParentheses = false
                text += ")"
            case 0x20: text += " "
            default:
                if isInParentheses {
                    identifier?.append(byte)
                    add(byte)
                    continue
                }
                let length = [Array("00".utf8): 18, Array("01".utf8): 14, Array("02".utf8): 14][identifier ?? []]
                if let length, run.count == length - 1 {
                    add(EANSymbol.checkDigit(run)[0])
                    identifier = nil
                } else {
                    run.append(byte)
                    add(byte)
                }
            }
        }
    }

    func symbol() throws(SymbolError) -> BarSymbol { try Code128Symbol.automatic(bytes, text: text) }

    private mutating func add(_ byte: UInt8) {
        bytes.append(byte)
        text += String(decoding: [(0x20..<0x7F).contains(byte) ? byte : 0x20], as: UTF8.self)
    }
}
