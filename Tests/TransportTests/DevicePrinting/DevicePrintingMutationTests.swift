import Foundation
import KioskDevicePrinting
import KioskPrintModel
import KioskTestSupport
import Testing

/// Seeded mutations of the corpora of `Fuzz/`: a short version of its searches.
@Suite struct DevicePrintingMutationTests {
    private static func seeds(_ corpus: String) throws -> [[UInt8]] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Fuzz/\(corpus)").standardized.path
        return try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map { name in
            [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)")))
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `mutated device ids are bounded, clean and read the same when written again`(_ seed: UInt64) throws {
        let seeds = try Self.seeds("DeviceIDCorpus")
        var mutator = Mutator(seed: seed)
        var named = 0
        for round in 0..<rounds(1500, long: 100_000) {
            let bytes = mutator.mutate(seeds[round % seeds.count])
            guard let id = DeviceID(reply: bytes) else { continue }
            #expect(
                id.fields.allSatisfy { !$0.value.hasControlCharacters && $0.value.utf8.count <= 255 && !$0.key.isEmpty }
            )
            #expect(id.description.utf8.count > DeviceID.maximumLength || DeviceID(id.description) == id)
            guard let names = id.names(product: nil, vendor: nil),
                let url = PrinterURL(
                    maker: names.maker, model: names.model, identity: DeviceIdentity(serialDescriptor: bytes))
            else { continue }
            named += 1
            #expect(try PrinterURL(url.description) == url)
        }
        #expect(named > 300, "too few are named for the mutations to test much")
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `mutated back-channels mean the same in pieces, and never print a job that was not`(_ seed: UInt64) throws {
        let seeds = try Self.seeds("DevicePrintingCorpus")
        var mutator = Mutator(seed: seed)
        var printed = 0
        for round in 0..<rounds(1500, long: 100_000) {
            let bytes = mutator.mutate(seeds[round % seeds.count])
            var (whole, fed) = (EscPosReplyParser(), EscPosReplyParser())
            var (star, starFed) = (StarStatusParser(), StarStatusParser())
            let replies = whole.feed(bytes).filter(Self.isReply)
            #expect(bytes.flatMap { fed.feed([$0]) }.filter(Self.isReply) == replies)
            #expect(
                bytes.flatMap { starFed.feed([$0]) }.filter(Self.isStatus) == star.feed(bytes).filter(Self.isStatus))

            var memory = CompletionMemory(DeviceSettings(completion: .processID), language: .escPOS, seed: 0)
            var tracker = CompletionTracker(&memory)
            _ = tracker.documentEnded(&memory)
            let actions = replies.compactMap { tracker.received($0, &memory) }
            guard actions.contains(.settled(.printed)) else { continue }
            printed += 1
            #expect(replies.contains(.processID("0000")))
        }
        #expect(printed > 100, "too few are printed for the mutations to test much")
    }

    private static func isReply(_ reply: EscPosReply) -> Bool { if case .garbage = reply { false } else { true } }
    private static func isStatus(_ reply: StarStatusParser.Reply) -> Bool {
        if case .status = reply { true } else { false }
    }
}

/// Flips, overwrites, cuts, doubles or removes bytes; deterministic for a seed.
private struct Mutator: RandomNumberGenerator {
    private var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed) }

    mutating func next() -> UInt64 { random.next() }

    mutating func mutate(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...3, using: &self) { change(&bytes) }
        return bytes
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        guard let index = bytes.indices.randomElement(using: &self) else { return }
        let end = min(bytes.count, index + Int.random(in: 1...8, using: &self))
        switch Int.random(in: 0..<6, using: &self) {
        case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &self)
        case 1: bytes[index] = [0x00, 0x10, 0x12, 0x37, 0x3A, 0x3B, 0x21, 0x80, 0xFF].randomElement(using: &self) ?? 0
        case 2: bytes.removeSubrange(index..<end)
        case 3: bytes.insert(contentsOf: bytes[index..<end], at: index)
        case 4: bytes.removeLast(bytes.count - end)
        default: bytes[index] = .random(in: 0...255, using: &self)
        }
    }
}
