import Foundation
import KioskTestSupport
import Testing

@testable import KioskSSH

/// A short replay of what `Fuzz/` searches at length: seeded mutations of its corpus.
@Suite struct HostKeyMutationTests {
    private static let corpus = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../../Fuzz/KnownHostsCorpus").standardized.path

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `mutated files never trap, and say the same when they are written again`(seed: UInt64) throws {
        let seeds = try FileManager.default.contentsOfDirectory(atPath: Self.corpus).sorted().map {
            try readFile("\(Self.corpus)/\($0)")
        }
        var random = KnownHostsGenerator(seed: seed, keys: [])
        var read = 0
        for round in 0..<rounds(1500, long: 100_000) {
            var octets = seeds[round % seeds.count]
            for _ in 0..<Int.random(in: 1...3, using: &random) { Self.mutate(&octets, &random) }
            let hosts = KnownHosts(parsing: octets)
            read += hosts.entries.count
            let written = Array(hosts.entries.map(\.line).joined(separator: [UInt8(ascii: "\n")]))
            #expect(KnownHosts(parsing: written) == hosts)
            let alone = octets.split(separator: UInt8(ascii: "\n")).flatMap { KnownHosts(parsing: Array($0)).entries }
            #expect(alone == hosts.entries)
            for (host, port) in KnownHostsGenerator.hosts {
                _ = hosts.findings(for: host, port: port) { salt, _ in salt }
            }
        }
        #expect(read > 1000, "so little is read that the mutations test little")
    }

    @Test(arguments: [1, 2] as [UInt64]) func `mutated private keys never trap`(seed: UInt64) async throws {
        let folder = try TemporaryFolder("keys")
        try await HostKeyFixtures.run(["-q", "-t", "ed25519", "-N", "", "-f", folder.appending("id")])
        let key = try folder.read("id")
        var random = KnownHostsGenerator(seed: seed, keys: [])
        var accepted = 0
        for _ in 0..<rounds(1500, long: 100_000) {
            var octets = key
            for _ in 0..<Int.random(in: 1...3, using: &random) { Self.mutate(&octets, &random) }
            if (try? PrivateKeyFile(octets)) != nil { accepted += 1 }
        }
        #expect(accepted > 100)
    }

    /// Flips, overwrites, cuts, doubles or removes something.
    private static func mutate(_ octets: inout [UInt8], _ random: inout KnownHostsGenerator) {
        guard let index = octets.indices.randomElement(using: &random) else { return }
        let end = min(octets.count, index + Int.random(in: 1...12, using: &random))
        switch Int.random(in: 0..<6, using: &random) {
        case 0: octets[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: octets[index] = Array(" \t\n\r\0#@!|*?,=A".utf8).randomElement(using: &random) ?? 0
        case 2: octets.removeSubrange(index..<end)
        case 3: octets.insert(contentsOf: octets[index..<end], at: index)
        case 4: octets.removeLast(octets.count - end)
        default: octets[index] = .random(in: 0...255, using: &random)
        }
    }
}
