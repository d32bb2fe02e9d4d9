import Foundation
import KioskIPPCodec
import KioskTestSupport
import Testing

/// A short version of the fuzz test in `Fuzz/`: the same properties over seeded mutations of its corpus.
@Suite struct IPPMutationTests {
    private static let corpus = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../Fuzz/IPPDecoderCorpus").standardized.path

    private static func seeds() throws -> [[UInt8]] {
        let names = try FileManager.default.contentsOfDirectory(atPath: corpus).sorted()
        return try names.map { try readFile("\(corpus)/\($0)") } + IPPValueTests.cases.map(\.bytes)
    }

    @Test func `every seed but the tolerated one decodes strictly and encodes to the same octets`() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: Self.corpus) where name != "tolerated.ipp" {
            let bytes = try readFile("\(Self.corpus)/\(name)")
            let (message, documentIndex) = try IPPDecoder.decode(bytes)
            #expect(try message.encoded() == Array(bytes[..<documentIndex]), "\(name)")
        }
    }

    @Test func `the tolerated seed decodes with the tolerances only`() throws {
        let bytes = try readFile("\(Self.corpus)/tolerated.ipp")
        #expect(throws: IPPDecodingError.self) { try IPPDecoder.decode(bytes) }
        let (message, _) = try IPPDecoder.decode(bytes, tolerances: .all)
        #expect(message.attribute("job-name", in: .printer)?.string == "Küche")
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `mutated messages never trap, and mean the same whole or fed`(_ seed: UInt64) throws {
        let seeds = try Self.seeds()
        var random = SeededRandom(seed)
        var accepted = 0
        for round in 0..<rounds(1000, long: 50_000) {
            var bytes = seeds[round % seeds.count]
            for _ in 0..<Int.random(in: 1...4, using: &random) { Self.mutate(&bytes, &random) }
            for tolerances: IPPTolerances in [[], .all] {
                let whole = Result { () throws(IPPDecodingError) in try IPPDecoder.decode(bytes, tolerances: tolerances)
                }
                expectSameInPieces(whole, bytes, tolerances, &random)
                guard case .success(let (message, documentIndex)) = whole else { continue }
                accepted += 1
                let encoded = try message.encoded()
                if tolerances.isEmpty { #expect(encoded == Array(bytes[..<documentIndex])) }
                #expect(try IPPDecoder.decode(encoded).message == message)
            }
        }
        #expect(accepted > 100, "too few mutations are accepted to test much")
    }

    private func expectSameInPieces(
        _ whole: Result<(message: IPPMessage, documentIndex: Int), IPPDecodingError>, _ bytes: [UInt8],
        _ tolerances: IPPTolerances, _ random: inout SeededRandom
    ) {
        var decoder = IPPDecoder(tolerances: tolerances)
        var start = 0
        do throws(IPPDecodingError) {
            while start < bytes.count {
                let end = min(bytes.count, start + Int.random(in: 1...900, using: &random))
                if case .complete(let message, let index) = try decoder.feed(bytes[start..<end]) {
                    let expected = try whole.get()
                    #expect(message == expected.message)
                    #expect(start + index == expected.documentIndex)
                    return
                }
                start = end
            }
            _ = try decoder.finish()
            Issue.record("the message has no end")
        } catch {
            guard case .failure(error) = whole else {
                Issue.record("in pieces: \(error); whole: \(whole)")
                return
            }
        }
    }

    /// Flips a bit, overwrites a byte, or removes, doubles or truncates bytes.
    private static func mutate(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
        guard let index = bytes.indices.randomElement(using: &random) else { return }
        let end = min(bytes.count, index + Int.random(in: 1...12, using: &random))
        switch Int.random(in: 0..<6, using: &random) {
        case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1:
            bytes[index] =
                [0x00, 0x03, 0x10, 0x34, 0x37, 0x4A, 0x36, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
        case 2: bytes.removeSubrange(index..<end)
        case 3: bytes.insert(contentsOf: bytes[index..<end], at: index)
        case 4: bytes.removeLast(bytes.count - end)
        default: bytes[index] = .random(in: 0...255, using: &random)
        }
    }
}
