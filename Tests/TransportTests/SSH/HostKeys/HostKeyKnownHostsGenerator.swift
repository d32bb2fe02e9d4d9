import Digests
import Foundation
import TestSupport

@testable import SSH

/// Seeded known_hosts files of the kind that finds the differences between two readers.
struct KnownHostsGenerator: RandomNumberGenerator {
    private var random: SeededRandom
    private let keys: [String]

    static let hosts = [("a.b", 22), ("ab", 22), ("a.b", 2222), ("b", 22), ("::1", 22)]

    init(seed: UInt64, keys: [String]) {
        random = SeededRandom(seed)
        self.keys = keys
    }

    mutating func next() -> UInt64 { random.next() }

    mutating func file(lines count: Int) throws -> String {
        var lines: [String] = []
        for _ in 0..<count { lines.append(try line()) }
        return lines.joined(separator: "\n")
    }

    private mutating func line() throws -> String {
        let key = pick(keys)
        let space = pick([" ", " ", "  ", "\t", " \t"])
        var words = [
            pick(["", "", "", "", "@revoked", "@cert-authority", "@revoke", "@"]),
            try pick([true, true, false]) ? patterns() : hashed(),
        ]
        if pick([true, true, true, false]) {
            words.append(key)
        } else {
            words.append(pick(["", "ssh-ed25519", "ssh-rsa \(key)", "#", "1024 35 77"]))
        }
        words.append(pick(["", "", "comment", "# comment"]))
        // A tab behind a marker is read by us, and not by OpenSSH.
        let marked = words[0].isEmpty ? "" : words[0] + " "
        return marked + words.dropFirst().joined(separator: space)
    }

    private mutating func patterns() -> String {
        var patterns: [String] = []
        for _ in 0..<Int.random(in: 1...3, using: &self) {
            var pattern = pick(["", "", "", "!"])
            for _ in 0..<Int.random(in: 0...5, using: &self) {
                pattern += pick(["a", "b", "A", ".", "*", "?", "*", ":", "a.b", "[a.b]:2222"])
            }
            patterns.append(pattern)
        }
        return patterns.joined(separator: ",")
    }

    /// Now and then of no name, or broken.
    private mutating func hashed() throws -> String {
        let salt = (0..<pick([20, 20, 20, 19])).map { _ in UInt8.random(in: 0...255, using: &self) }
        let name = pick(["a.b", "[a.b]:2222", "ab", "c"])
        let hash = try MessageAuthenticationCode.sha1(key: salt, of: Array(name.utf8))
        let text = [salt, hash].map { String(decoding: Base64Text.encode($0), as: UTF8.self) }
        return "|\(pick(["1", "1", "1", "1", "2"]))|" + text.joined(separator: pick(["|", "|", "|", ","]))
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &self)]
    }
}
