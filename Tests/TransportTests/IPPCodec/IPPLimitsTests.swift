import IPPCodec
import Testing

@Suite struct IPPLimitsTests {
    private func code(_ bytes: [UInt8], _ limits: IPPLimits) -> IPPDecodingError.Code? {
        do {
            _ = try IPPDecoder.decode(bytes, limits: limits)
            return nil
        } catch {
            return error.code
        }
    }

    private func limits(_ change: (inout IPPLimits) -> Void) -> IPPLimits {
        var limits = IPPLimits()
        change(&limits)
        return limits
    }

    @Test func `a message may have as many octets as the limit says`() {
        let bytes = WireBytes.message(WireBytes.attribute(0x44, "a", "b"))
        #expect(code(bytes, limits { $0.messageBytes = bytes.count }) == nil)
        #expect(code(bytes, limits { $0.messageBytes = bytes.count - 1 }) == .limitExceeded)
        #expect(code(bytes + Array("document".utf8), limits { $0.messageBytes = bytes.count }) == nil)
    }

    @Test func `a field beyond the limit is refused before it is stored`() {
        var decoder = IPPDecoder(limits: limits { $0.messageBytes = 100 })
        #expect(throws: IPPDecodingError.self) {
            for byte in WireBytes.header(0) + [0x04, 0x41, 0, 1, 0x61, 0x7F, 0xFF] { _ = try decoder.feed([byte]) }
            _ = try decoder.feed([0x20])
        }
        #expect(decoder.offset < 100)
    }

    @Test func `attributes are counted with the members of collections`() {
        let bytes = WireBytes.message(
            WireBytes.attribute(0x34, "c", []) + WireBytes.memberName("m") + WireBytes.additional(0x44, "x")
                + WireBytes.endCollection)
        #expect(code(bytes, limits { $0.attributes = 2 }) == nil)
        #expect(code(bytes, limits { $0.attributes = 1 }) == .limitExceeded)
        #expect(code(bytes, limits { $0.values = 2 }) == nil)
        #expect(code(bytes, limits { $0.values = 1 }) == .limitExceeded)
    }

    @Test func `names and values may be as long as the limits say`() {
        let longest = String(repeating: "n", count: 255)
        #expect(code(WireBytes.message(WireBytes.attribute(0x44, longest, "x")), IPPLimits()) == nil)
        #expect(code(WireBytes.message(WireBytes.attribute(0x44, longest + "n", "x")), IPPLimits()) == .limitExceeded)
        let member = { (name: String) in
            WireBytes.message(
                WireBytes.attribute(0x34, "c", []) + WireBytes.memberName(name) + WireBytes.additional(0x44, "x")
                    + WireBytes.endCollection)
        }
        #expect(code(member(longest), IPPLimits()) == nil)
        #expect(code(member(longest + "n"), IPPLimits()) == .limitExceeded)
        let value = [UInt8](repeating: 0x61, count: 32767)
        #expect(code(WireBytes.message(WireBytes.attribute(0x41, "a", value)), IPPLimits()) == nil)
        #expect(code(WireBytes.message(WireBytes.attribute(0x41, "a", value + [0x61])), IPPLimits()) == .limitExceeded)
    }

    @Test func `collections may be ten deep`() throws {
        func nested(_ depth: Int) -> [UInt8] {
            let inner = (1..<depth).reduce(WireBytes.memberName("m") + WireBytes.additional(0x44, "x")) { body, _ in
                WireBytes.memberName("m") + WireBytes.begCollection + body + WireBytes.endCollection
            }
            return WireBytes.message(WireBytes.attribute(0x34, "c", []) + inner + WireBytes.endCollection)
        }
        let (message, _) = try IPPDecoder.decode(nested(10))
        #expect(try message.encoded() == nested(10))
        #expect(code(nested(11), IPPLimits()) == .limitExceeded)
    }
}
