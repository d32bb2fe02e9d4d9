/// Octets of messages laid out by hand as RFC 8010 draws them, without the encoder under test.
enum WireBytes {
    static func integer16(_ number: Int) -> [UInt8] { [UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)] }
    static func integer32(_ number: Int) -> [UInt8] { integer16(number >> 16) + integer16(number) }

    /// value-tag, name-length, name, value-length, value (RFC 8010 §3.1.4).
    static func attribute(_ tag: UInt8, _ name: String, _ value: [UInt8]) -> [UInt8] {
        [tag] + integer16(name.utf8.count) + Array(name.utf8) + integer16(value.count) + value
    }

    static func attribute(_ tag: UInt8, _ name: String, _ value: String) -> [UInt8] {
        attribute(tag, name, Array(value.utf8))
    }

    /// One more value of the attribute before (RFC 8010 §3.1.5).
    static func additional(_ tag: UInt8, _ value: [UInt8]) -> [UInt8] { attribute(tag, "", value) }
    static func additional(_ tag: UInt8, _ value: String) -> [UInt8] { attribute(tag, "", value) }

    static func memberName(_ name: String) -> [UInt8] { additional(0x4A, name) }
    static let begCollection = additional(0x34, [])
    static let endCollection = additional(0x37, [])

    /// The value of a textWithLanguage or nameWithLanguage (RFC 8010 §3.9).
    static func withLanguage(_ text: String, _ language: String) -> [UInt8] {
        integer16(language.utf8.count) + Array(language.utf8) + integer16(text.utf8.count) + Array(text.utf8)
    }

    /// version-number, operation-id or status-code, request-id (RFC 8010 §3.1.1).
    static func header(_ code: Int, requestID: Int = 1, version: [UInt8] = [1, 1]) -> [UInt8] {
        version + integer16(code) + integer32(requestID)
    }

    /// A Get-Printer-Attributes response of one printer group.
    static func message(_ attributes: [UInt8]...) -> [UInt8] {
        header(0) + [0x04] + attributes.flatMap { $0 } + [0x03]
    }
}
