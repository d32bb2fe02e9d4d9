import KioskTestSupport
import Testing

@testable import KioskSNMP

/// The codec against octets that Net-SNMP 5.9.3 (`snmpgetnext`, `snmpd`) wrote, and against whatever else may come.
@Suite struct SNMPMessageTests {
    static let getNext = octets(
        """
        304b020100 0406 7075626c6963 a13e 0204699051cb 020100 020100 3030
          300e 060a2b060102011903050101 0500
          300e 060a2b060102011903050102 0500
          300e 060a2b060102012b0a020104 0500
        """)
    static let response = octets(
        """
        3055020100 0406 7075626c6963 a248 0204699051cb 020100 020100 303a
          3010 060b2b06010201190305010101 020103
          3011 060b2b06010201190305010201 04024000
          3013 060c2b060102012b0a0201040101 410301e240
        """)
    static let endOfMib = octets(
        """
        302d020100 0406 7075626c6963 a220 02046a3bdde6 020102 020101 3012
          3010 060c2b060102012b0b0101090101 0500
        """)
    static let exceptions = octets(
        """
        3058020101 0406 7075626c6963 a24b 02041fff2a1f 020100 020100 303d
          3010 060c2b060102012b0b0101090101 8200
          3029 060c2b060102012b0b0101060101 0419426c61636b2043617274726964676520485020513539343241
        """)
    static let noSuchObject = octets(
        """
        302d020101 0406 7075626c6963 a220 020454e78d5c 020100 020100 3012
          3010 060c2b060102012b0b0101090107 8000
        """)

    static func octets(_ text: String) -> [UInt8] {
        let digits = Array(text.filter(\.isHexDigit))
        return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0..<$0 + 2]), radix: 16) }
    }

    private static func message(
        _ kind: SNMPMessage.Kind, _ id: Int32, version: SNMPMessage.Version = .v1, error: Int32 = 0, at index: Int = 0,
        _ variables: [SNMPMessage.Variable]
    ) -> SNMPMessage {
        SNMPMessage(
            version: version, community: Array("public".utf8), kind: kind, requestID: id,
            errorStatus: .init(rawValue: error), errorIndex: index, variables: variables)
    }

    private static let transcripts: [(octets: [UInt8], message: SNMPMessage)] = [
        (
            getNext,
            message(
                .getNext, 0x6990_51CB,
                [.init(PrinterMIB.printerStatus), .init(PrinterMIB.detectedErrorState), .init(PrinterMIB.lifeCount)])
        ),
        (
            response,
            message(
                .response, 0x6990_51CB,
                [
                    .init(PrinterMIB.printerStatus.appending(1), .integer(3)),
                    .init(PrinterMIB.detectedErrorState.appending(1), .octets([0x40, 0])),
                    .init(PrinterMIB.lifeCount.appending(1, 1), .unsigned(.counter32, 123_456)),
                ])
        ),
        (
            endOfMib,
            message(.response, 0x6A3B_DDE6, error: 2, at: 1, [.init(PrinterMIB.supplyLevel.appending(1, 1))])
        ),
        (
            exceptions,
            message(
                .response, 0x1FFF_2A1F, version: .v2c,
                [
                    .init(PrinterMIB.supplyLevel.appending(1, 1), .endOfMibView),
                    .init(
                        PrinterMIB.supplyDescription.appending(1, 1),
                        .octets(Array("Black Cartridge HP Q5942A".utf8))),
                ])
        ),
        (
            noSuchObject,
            message(
                .response, 0x54E7_8D5C, version: .v2c, [.init(PrinterMIB.supplyLevel.appending(1, 7), .noSuchObject)])
        ),
    ]

    @Test(arguments: transcripts.indices)
    func `messages are read and written as Net-SNMP has them`(_ index: Int) throws {
        let (octets, message) = Self.transcripts[index]
        #expect(try SNMPMessage(decoding: octets) == message)
        #expect(message.encoded == octets)
    }

    @Test(arguments: transcripts.indices)
    func `no beginning of a message is one, and what follows it is not looked at`(_ index: Int) throws {
        let (octets, message) = Self.transcripts[index]
        for length in octets.indices {
            #expect(throws: SNMPDecodingError.self) { try SNMPMessage(decoding: Array(octets.prefix(length))) }
        }
        #expect(try SNMPMessage(decoding: octets + [0x00, 0xFF]) == message)
    }

    @Test func `every value reads as it was written`() throws {
        let values: [SNMPValue] =
            [
                .null, .octets([]), .octets(Array(repeating: 0xFF, count: 300)), .name(OID([1, 3, 6])),
                .name(OID([2, 4_294_967_215, .max, 0, 127, 128])), .other(tag: 0x40, [192, 0, 2, 1]),
                .unsigned(.counter64, .max), .unsigned(.gauge32, 0x8000_0000), .unsigned(.timeTicks, 0),
                .noSuchObject, .noSuchInstance, .endOfMibView,
            ] + [0, 1, -1, 127, 128, -128, -129, 255, 256, 32_768, .max, .min].map { .integer($0) }
        let message = Self.message(.response, -5, values.map { .init(OID([1, 3]), $0) })
        #expect(try SNMPMessage(decoding: message.encoded) == message)
    }

    /// Reads a response whose only variable has these octets for a value.
    private static func value(_ octets: [UInt8]) throws -> SNMPValue? {
        func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
            [tag, 0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)] + content
        }
        let variable = element(0x30, [0x06, 0x01, 0x2B] + octets)
        let body = [0x02, 0x01, 0x01, 0x02, 0x01, 0x00, 0x02, 0x01, 0x00] + element(0x30, variable)
        let message = element(0x30, [0x02, 0x01, 0x00, 0x04, 0x00] + element(0xA2, body))
        return try SNMPMessage(decoding: message).variables.first?.value
    }

    @Test func `numbers count in each form that agents write`() throws {
        #expect(try Self.value([0x41, 0x04, 0xFF, 0xFF, 0xFF, 0xFF])?.number == 0xFFFF_FFFF)
        #expect(try Self.value([0x41, 0x05, 0x00, 0xFF, 0xFF, 0xFF, 0xFF])?.number == 0xFFFF_FFFF)
        #expect(try Self.value([0x02, 0x04, 0xFF, 0xFF, 0xFF, 0xFD])?.number == -3)
        #expect(try Self.value([0x02, 0x01, 0xFD])?.number == -3)
        #expect(try Self.value([0x02, 0x81, 0x01, 0x2A])?.number == 42)
        #expect(try Self.value([0x02, 0x84, 0x00, 0x00, 0x00, 0x01, 0x2A])?.number == 42)
        // What no integer of SNMP can be is no number.
        #expect(try Self.value([0x02, 0x05, 0x7F, 0, 0, 0, 0])?.number == nil)
        #expect(try Self.value([0x46, 0x08] + Array(repeating: 0xFF, count: 8))?.number == nil)
    }

    @Test(
        arguments: [
            [0x02, 0x00], [0x02, 0x09, 1, 1, 1, 1, 1, 1, 1, 1, 1], [0x41, 0x00],
            [0x46, 0x09] + Array(repeating: 1, count: 9),
            // Lengths: the indefinite form, one of five octets, one beyond its octets.
            [0x04, 0x80, 0x00, 0x00], [0x04, 0x85, 0, 0, 0, 0, 0], [0x04, 0x84, 0xFF, 0xFF, 0xFF, 0xFF],
            [0x04, 0x05, 1],
            // Names: empty, not complete, with a sub-identifier beyond 32 bits, of more than 128.
            [0x06, 0x00], [0x06, 0x01, 0x81], [0x06, 0x07, 0x2B, 0x90, 0x80, 0x80, 0x80, 0x80, 0x00],
            [0x06, 0x81, 0x80] + Array(repeating: 1, count: 128),
            // A tag of several octets; two values; none.
            [0x1F, 0x81, 0x01, 0x00], [0x05, 0x00, 0x05, 0x00], [],
        ] as [[UInt8]])
    func `what is no value is refused`(_ octets: [UInt8]) {
        #expect(throws: SNMPDecodingError.self) { try Self.value(octets) }
    }

    @Test func `messages of other versions and kinds, and those that are too long, are refused`() {
        var version3 = Self.response
        version3[4] = 3
        var trap = Self.response
        trap[13] = 0xA4
        let many = Self.message(
            .response, 1, Array(repeating: .init(OID([1, 3])), count: SNMPMessage.maximumVariables + 1))
        let long = Self.message(
            .response, 1, [.init(OID([1, 3]), .octets(Array(repeating: 0x41, count: SNMPMessage.maximumLength)))])
        for octets in [version3, trap, many.encoded, long.encoded, []] {
            #expect(throws: SNMPDecodingError.self) { try SNMPMessage(decoding: octets) }
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `mutated messages are refused, or read the same when they are written again`(_ seed: UInt64) throws {
        var random = SeededRandom(seed)
        var read = 0
        for round in 0..<rounds(3000, long: 200_000) {
            var octets = Self.transcripts[round % Self.transcripts.count].octets
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: octets.indices, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: octets[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                case 1: octets[index] = [0x00, 0x30, 0x7F, 0x80, 0x84, 0xFF].randomElement(using: &random) ?? 0
                case 2: octets.removeLast(min(octets.count - 1, Int.random(in: 0..<4, using: &random)))
                default: octets.insert(.random(in: 0...255, using: &random), at: index)
                }
            }
            guard let message = try? SNMPMessage(decoding: octets) else { continue }
            read += 1
            #expect(try SNMPMessage(decoding: message.encoded) == message)
        }
        #expect(read > 100, "too few are read for the mutations to test much")
    }
}
