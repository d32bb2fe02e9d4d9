import Foundation
import PrintModel
import TestSupport
import Testing

@testable import SSHLpr

/// A short replay of what `Fuzz/` searches at length: seeded mutations of what the real programs wrote.
@Suite struct QueueListingMutationTests {
    private static let corpus = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../Golden/lpq").standardized.path

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `mutated answers never trap, and give lprm nothing but numbers`(seed: UInt64) throws {
        let seeds = try FileManager.default.contentsOfDirectory(atPath: Self.corpus).sorted().map {
            try readFile("\(Self.corpus)/\($0)")
        }
        var random = SeededRandom(seed)
        var read = 0
        for round in 0..<rounds(1500, long: 100_000) {
            var octets = seeds[round % seeds.count]
            for _ in 0..<Int.random(in: 1...3, using: &random) { Self.mutate(&octets, &random) }
            let lines = String(decoding: octets, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            for dialect in LprSettings.Dialect.allCases {
                let listing = QueueListing(lines, dialect: dialect, queue: "receipt")
                read += listing.jobs.count
                #expect(
                    listing.jobs.allSatisfy { job in
                        job.number.utf8.allSatisfy { (0x30...0x39).contains($0) } && !job.number.isEmpty
                    })
                #expect(listing.messages.count <= 8)
                let more = QueueListing(lines + ["what nobody understands"], dialect: dialect, queue: "receipt")
                #expect(more.jobs == listing.jobs)
                #expect(!more.isComplete || listing.isComplete)
            }
            for line in lines { _ = (PrinterOptions.attributes(line), PrinterOptions.choices(line)) }
        }
        #expect(read > 1000, "so little is read that the mutations test little")
    }

    private static func mutate(_ octets: inout [UInt8], _ random: inout SeededRandom) {
        guard let index = octets.indices.randomElement(using: &random) else { return }
        let end = min(octets.count, index + Int.random(in: 1...12, using: &random))
        switch Int.random(in: 0..<5, using: &random) {
        case 0: octets[index] = .random(in: 0...255, using: &random)
        case 1: octets[index] = Array(" \t\n\r0:=@'\"\\".utf8).randomElement(using: &random) ?? 0
        case 2: octets.removeSubrange(index..<end)
        case 3: octets.insert(contentsOf: octets[index..<end], at: index)
        default: octets.removeLast(octets.count - end)
        }
    }
}
