/// The data of a MaxiCode symbol (ISO/IEC 16023): in modes 2 and 3 it begins with a structured carrier message.
package struct MaxiCodeMessage {
    /// The mode, and the carrier message of modes 2 and 3.
    package struct Header: Hashable, Sendable {
        package var mode: Int
        package var carrier: Carrier?
    }

    package struct Carrier: Hashable, Sendable {
        /// At most nine digits in mode 2, six letters or digits in mode 3.
        package var postalCode: String
        /// Three digits each.
        package var country: String
        package var service: String
    }

    private(set) var header: Header
    private(set) var data: [UInt8]

    private static let separator: UInt8 = 0x1D
    /// `[)>` RS `01` GS and two digits begin a message in the form of ANSI MH10.8.3.
    private static let formatLength = 9

    /// The data of ZPL's `^BD`: class of service, country and postal code come first, each with a fixed length.
    init(zpl data: [UInt8], mode: Int) throws(SymbolError) {
        guard mode == 2 || mode == 3 else {
            self = try MaxiCodeMessage(plain: data, mode: mode)
            return
        }
        let length = mode == 2 ? 15 : 12
        guard data.count >= length else { throw SymbolError("mode \(mode) begins with \(length) characters") }
        let text = String(decoding: data.prefix(length), as: UTF8.self)
        header = Header(
            mode: mode,
            carrier: try Self.carrier(
                mode, postalCode: String(text.dropFirst(6)), country: String(text.dropFirst(3).prefix(3)),
                service: String(text.prefix(3))))
        self.data = Array(data.dropFirst(length))
    }

    /// The data of ESC/POS: postal code, country and class of service end with a separator each; the header of the
    /// message may precede them (Epson, `GS ( k` functions 265 and 280).
    init(escPOS data: [UInt8], mode: Int) throws(SymbolError) {
        guard mode == 2 || mode == 3 else {
            self = try MaxiCodeMessage(plain: data, mode: mode)
            return
        }
        let start = Array("[)>\u{1E}01\u{1D}".utf8)
        let format = data.starts(with: start) && data.count >= Self.formatLength ? Self.formatLength : 0
        let fields = data.dropFirst(format).split(
            separator: Self.separator, maxSplits: 3, omittingEmptySubsequences: false)
        guard fields.count == 4 else { throw SymbolError("mode \(mode) begins with three fields and separators") }
        let texts = fields.map { String(decoding: $0, as: UTF8.self) }
        header = Header(
            mode: mode,
            carrier: try Self.carrier(mode, postalCode: texts[0], country: texts[1], service: texts[2]))
        self.data = data.prefix(format) + Array(fields[3])
    }

    private init(plain data: [UInt8], mode: Int) throws(SymbolError) {
        guard (4...6).contains(mode) else { throw SymbolError("no such mode") }
        header = Header(mode: mode)
        self.data = data
    }

    private static func carrier(
        _ mode: Int, postalCode: String, country: String, service: String
    ) throws(SymbolError) -> Carrier {
        func digits(_ text: String, _ count: Int) throws(SymbolError) -> String {
            guard text.count <= count, !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                throw SymbolError("at most \(count) digits, not \(PaperEvent.quoted(text))")
            }
            return text
        }
        func threeDigits(_ text: String) throws(SymbolError) -> String {
            String(repeating: "0", count: max(0, 3 - text.count)) + (try digits(text, 3))
        }
        if mode == 2 {
            _ = try digits(postalCode, 9)
        } else {
            guard (1...6).contains(postalCode.count), postalCode.utf8.allSatisfy({ (0x20...0x5F).contains($0) }) else {
                throw SymbolError("a postal code of at most six letters or digits")
            }
        }
        return Carrier(postalCode: postalCode, country: try threeDigits(country), service: try threeDigits(service))
    }
}
