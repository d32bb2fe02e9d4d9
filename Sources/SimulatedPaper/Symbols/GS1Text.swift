/// The data of GS1-128 as `GS k` has it: FNC1 comes first by itself; spaces and parentheses are for people; `{1` is
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

    private mutating func add(_ byte: UInt8) {
        bytes.append(byte)
        text += String(decoding: [(0x20..<0x7F).contains(byte) ? byte : 0x20], as: UTF8.self)
    }
}
