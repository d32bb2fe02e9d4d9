import KioskIPPCodec
import Testing

/// Octets of messages, laid out as in RFC 8010 without the encoder under test.
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

    /// One more value of the previous attribute (RFC 8010 §3.1.5).
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

    /// A Get-Printer-Attributes response with one printer group.
    static func message(_ attributes: [UInt8]...) -> [UInt8] {
        header(0) + [0x04] + attributes.flatMap { $0 } + [0x03]
    }
}

/// Feeds the same octets to a decoder in chunks of many sizes.
enum DripFeed {
    private static let document = Array("the document".utf8)

    /// Feeds `bytes` and a document after them octet by octet and in chunks of other sizes.
    static func expect(
        _ message: IPPMessage, from bytes: [UInt8], tolerances: IPPTolerances = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let all = bytes + document
        for size in [1, 2, 3, 7, 64, all.count] {
            var decoder = IPPDecoder(tolerances: tolerances)
            var start = 0
            var found: (message: IPPMessage, documentIndex: Int)?
            while found == nil, start < all.count {
                let chunk = all[start..<min(start + size, all.count)]
                if case .complete(let message, let index) = try decoder.feed(chunk) {
                    found = (message, start + index)
                }
                start += chunk.count
            }
            #expect(found?.message == message, "in chunks of \(size)", sourceLocation: sourceLocation)
            #expect(found?.documentIndex == bytes.count, "in chunks of \(size)", sourceLocation: sourceLocation)
        }
    }

    /// Decodes every proper prefix, whole and in pieces. Each must be truncated and tell where.
    static func expectTruncated(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
        for count in 0..<bytes.count {
            let prefix = Array(bytes[..<count])
            let whole = #expect(throws: IPPDecodingError.self, sourceLocation: sourceLocation) {
                try IPPDecoder.decode(prefix)
            }
            #expect(whole?.code == .truncated && whole?.offset == count, sourceLocation: sourceLocation)
            var decoder = IPPDecoder()
            let fed = #expect(throws: IPPDecodingError.self, sourceLocation: sourceLocation) {
                for byte in prefix { _ = try decoder.feed([byte]) }
                _ = try decoder.finish()
            }
            #expect(fed == whole, sourceLocation: sourceLocation)
        }
    }
}
