import KioskIPPCodec
import Testing

@Suite struct IPPEncoderTests {
    private func error(_ attribute: IPPAttribute) -> IPPEncodingError? {
        error(IPPMessage(operation: .printJob, requestID: 1, groups: [IPPGroup(.operation, [attribute])]))
    }

    private func error(_ message: IPPMessage) -> IPPEncodingError? {
        do {
            _ = try message.encoded()
            return nil
        } catch {
            return error
        }
    }

    @Test func `refuses names and values longer than a length field can say`() {
        let longest = String(repeating: "x", count: 32767)
        #expect(error(IPPAttribute("a", .text(IPPText(longest)))) == nil)
        #expect(error(IPPAttribute("a", .text(IPPText(longest + "x"))))?.code == .tooLong)
        #expect(error(IPPAttribute("a", .octetString([UInt8](repeating: 0, count: 32768))))?.code == .tooLong)
        #expect(error(IPPAttribute(longest, .integer(1))) == nil)
        #expect(error(IPPAttribute(longest + "x", .integer(1)))?.code == .tooLong)
        #expect(error(IPPAttribute("a", .textWithLanguage(IPPText(longest), language: "en")))?.code == .tooLong)
        #expect(
            error(IPPAttribute("c", .collection([IPPAttribute(longest + "x", .integer(1))])))?.code == .tooLong)
    }

    @Test func `refuses attributes without a name or a value`() {
        #expect(error(IPPAttribute("", .integer(1)))?.code == .noName)
        #expect(error(IPPAttribute("a", []))?.code == .noValues)
        #expect(error(IPPAttribute("c", .collection([IPPAttribute("", .integer(1))])))?.code == .noName)
        #expect(error(IPPAttribute("c", .collection([IPPAttribute("m", [])])))?.attribute == "m")
    }

    @Test func `refuses tags that would be read as something else`() {
        for tag: UInt8 in [0x00, 0x03, 0x10, 0x44] {
            let group = IPPGroup(IPPGroupTag(rawValue: tag))
            #expect(error(IPPMessage(operation: .getJobs, requestID: 1, groups: [group]))?.code == .invalidTag)
        }
        for tag: UInt8 in [0x00, 0x01, 0x03, 0x0F, 0x34, 0x37, 0x4A] {
            #expect(error(IPPAttribute("a", .other(IPPValueTag(rawValue: tag), [])))?.code == .invalidTag)
        }
    }

    @Test func `refuses collections nested more deeply than decoders take`() {
        func nested(_ depth: Int) -> IPPValue {
            depth == 0 ? .integer(1) : .collection([IPPAttribute("m", nested(depth - 1))])
        }
        #expect(error(IPPAttribute("c", nested(10))) == nil)
        #expect(error(IPPAttribute("c", nested(11)))?.code == .tooDeep)
    }

    @Test func `an error names the attribute and what is wrong`() {
        #expect(
            error(IPPAttribute("copies", []))?.description
                == "IPP attribute \"copies\" cannot be encoded: it has no value; use an out-of-band value")
    }
}
