import Foundation
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskQueueListings
@testable import KioskSSHLpr

/// The readers of `lpq`, over what the real programs wrote.
@Suite struct QueueListingTests {
    private func listing(
        _ name: String, _ dialect: LprSettings.Dialect, queue: String = "receipt",
        _ change: (String) -> String = { $0 }
    ) throws -> QueueListing {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
            path: "../../Golden/lpq/\(name).txt")
        let text = change(String(decoding: try Data(contentsOf: file), as: UTF8.self))
        return QueueListing(
            text.split(separator: "\n", omittingEmptySubsequences: false), dialect: dialect, queue: queue)
    }

    @Test func `CUPS tells state, place and owner of each job`() throws {
        let printing = try listing("cups-printing", .cups)
        #expect(printing.state == .printing)
        #expect(printing.isComplete)
        #expect(printing.jobs.map(\.number) == ["14", "15", "16", "17"])
        #expect(printing.jobs.map(\.isActive) == [true, false, false, false])
        #expect(printing.jobs.last?.owner == "Jo Doe")
        #expect(printing.job(of: "bcdfghjk-2-1")?.number == "15")
        #expect(printing.job(of: "bcdfghjk-2") == nil)
        #expect(try listing("cups-stopped", .cups).state == .stopped)
        #expect(try listing("cups-idle", .cups) == QueueListing(state: .ready, isComplete: true))
        #expect(try listing("cups-no-such-queue", .cups).isMissing)
    }

    @Test func `LPRng's long form tells whole titles and what is held`() throws {
        let printing = try listing("lprng-printing", .lprng)
        #expect(printing.state == .printing)
        #expect(printing.isComplete)
        #expect(printing.jobs.map(\.title) == ["bcdfghjk-1-1 Receipt 1", "bcdfghjk-2-1 Receipt 2"])
        #expect(printing.jobs.map(\.number) == ["402", "418"])
        let held = try listing("lprng-held", .lprng)
        #expect(held.isComplete)
        #expect(held.jobs.map(\.number) == ["12", "19", "8"])
        #expect(held.jobs.map(\.isHeld) == [false, false, true])
        #expect(try listing("lprng-idle", .lprng) == QueueListing(state: .ready, isAccepting: true, isComplete: true))
        #expect(try listing("lprng-aborted", .lprng).state == .stopped)
        #expect(try listing("lprng-stopped", .lprng).state == .stopped)
        #expect(try listing("lprng-stopped", .lprng).isAccepting == true)
        #expect(try listing("lprng-closed", .lprng).state == .ready)
        #expect(try listing("lprng-closed", .lprng).isAccepting == false)
        #expect(try listing("lprng-stopped-and-closed", .lprng).isAccepting == false)
        #expect(try listing("lprng-no-such-queue", .lprng).isMissing)
    }

    @Test func `a job that LPRng is receiving is not held`() throws {
        let receiving = try listing("lprng-held", .lprng) {
            $0.replacingOccurrences(of: "status= hold", with: "status= incoming")
        }
        #expect(receiving.jobs.map(\.number) == ["12", "19", "8"])
        #expect(receiving.jobs.map(\.isHeld) == [false, false, false])
        #expect(receiving.jobs.last?.isActive == false)
    }

    @Test func `BSD tells warnings, the daemon's words and file names`() throws {
        let printing = try listing("bsd-printing", .bsd)
        #expect(printing.state == .printing)
        #expect(printing.isComplete)
        #expect(printing.jobs.map(\.number) == ["4", "5", "7", "6"])
        #expect(printing.jobs.map(\.title) == ["bcdfghjk-1-1", "bcdfghjk-2-1", "(standard input)", "bcdfghjk-3-1"])
        let down = try listing("bsd-down", .bsd)
        #expect(down.state == .stopped)
        #expect(down.isAccepting == false)
        #expect(Availability(down).reasons.map(\.keyword) == ["not-accepting-jobs", "paused", "media-empty"])
        #expect(try listing("bsd-stopped", .bsd).state == .stopped)
        #expect(try listing("bsd-stopped", .bsd).isAccepting == true)
        #expect(try listing("bsd-stopped-and-closed", .bsd).isAccepting == false)
        #expect(try listing("bsd-idle", .bsd) == QueueListing(state: .ready, isAccepting: true, isComplete: true))
        #expect(try listing("bsd-no-such-queue", .bsd).isMissing)
    }

    @Test(arguments: LprSettings.Dialect.allCases)
    func `what nobody understands is unknown, and proves nothing of any job`(_ dialect: LprSettings.Dialect) {
        for text in ["", "Segmentation fault", "receipt\u{0}is ready", "lp is on fire", "Printer lp: 1 job\n1 a b c"] {
            let listing = QueueListing(text.split(separator: "\n"), dialect: dialect, queue: "receipt")
            #expect(!listing.isComplete)
            #expect(listing.state == .unknown)
            #expect(Availability(listing).state == .unknown)
            #expect(Availability(listing).message?.isEmpty == false)
        }
    }

    @Test(arguments: LprSettings.Dialect.allCases)
    func `a line among the jobs that is none leaves the list incomplete`(_ dialect: LprSettings.Dialect) throws {
        let names: [LprSettings.Dialect: String] = [
            .cups: "cups-printing", .lprng: "lprng-printing", .bsd: "bsd-printing",
        ]
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
            path: "../../Golden/lpq/\(names[dialect] ?? "").txt")
        var lines = String(decoding: try Data(contentsOf: file), as: UTF8.self).split(separator: "\n")
        if dialect == .lprng { lines.removeAll { $0.hasPrefix("number=418") } } else { lines.append("2nd? what else") }
        let listing = QueueListing(lines, dialect: dialect, queue: "receipt")
        #expect(!listing.jobs.isEmpty)
        #expect(!listing.isComplete)
    }
}

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
