import Foundation
import KioskDigests
import KioskPrintModel
import KioskTestSupport

@testable import KioskSSH

/// Host keys made by the real ssh-keygen, and what it finds in known_hosts files.
struct HostKeyFixtures: Sendable {
    struct Key: Sendable {
        /// `ssh-ed25519 AAAA…`
        var text: String
        /// As `ssh-keygen -l` prints it.
        var fingerprint: String
        var known: KnownHostKey

        var octets: [UInt8] { known.octets }
    }

    var ed25519: Key
    var other: Key
    var ecdsa: Key
    var rsa: Key

    var all: [Key] { [ed25519, other, ecdsa, rsa] }

    /// Made once for all tests.
    static func get() async throws -> HostKeyFixtures { try await store.get() }

    private static let store = Store()

    private actor Store {
        private var made: Task<HostKeyFixtures, any Error>?

        func get() async throws -> HostKeyFixtures {
            let task = made ?? Task { try await HostKeyFixtures() }
            made = task
            return try await task.value
        }
    }

    private init() async throws {
        let folder = try TemporaryFolder("host-keys")
        func make(_ name: String, _ type: String) async throws -> Key {
            let path = folder.appending(name)
            try await Self.run(["-q", "-t", type, "-N", "", "-C", "", "-f", path])
            let words = String(decoding: try folder.read("\(name).pub"), as: UTF8.self).split(separator: " ")
            let listed = try await Self.run(["-l", "-f", "\(path).pub"]).split(separator: " ")
            let base64 = words[1].filter { !$0.isWhitespace }
            guard let octets = Base64.decode(Array(base64.utf8)[...], strict: true), let known = KnownHostKey(octets)
            else {
                throw TestSupportError("no Base64: \(words)")
            }
            return Key(text: "\(words[0]) \(base64)", fingerprint: String(listed[1]), known: known)
        }
        ed25519 = try await make("a", "ed25519")
        other = try await make("b", "ed25519")
        ecdsa = try await make("c", "ecdsa")
        rsa = try await make("d", "rsa")
    }

    @discardableResult
    static func run(_ arguments: [String]) async throws -> String {
        let result = try await ChildProcess.run(
            try InstalledProgram.path("ssh-keygen", package: "openssh-client"), arguments)
        // It ends with 1 where it finds nothing.
        guard result.end.isSuccess || result.standardError.isEmpty else {
            throw TestSupportError("ssh-keygen \(arguments) failed: \(result.standardError)")
        }
        return result.standardOutput
    }

    /// What ssh-keygen finds for a name, as `known SHA256:…` or `revoked SHA256:…`, in the file's order.
    static func found(_ name: String, in file: String) async throws -> [String] {
        let lines = try await run(["-l", "-F", name, "-f", file]).split(separator: "\n")
        var (found, marker): ([String], String?) = ([], nil)
        for line in lines {
            if line.hasPrefix("# Host ") {
                marker = line.hasSuffix(" REVOKED") ? "revoked" : line.hasSuffix(" CA") ? nil : "known"
            } else if let marker, let fingerprint = line.split(separator: " ").first(where: { $0.hasPrefix("SHA256:") })
            {
                found.append("\(marker) \(fingerprint)")
            }
        }
        return found.sorted()
    }
}

extension KnownHosts.Findings {
    /// As `HostKeyFixtures.found` tells it.
    func told() throws -> [String] {
        let both = [("known", known), ("revoked", revoked)]
        return try both.flatMap { word, keys in try keys.map { "\(word) \(try HostKey($0).fingerprint.openSSH)" } }
            .sorted()
    }
}

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
        let text = [salt, hash].map { Base64.encode($0) }
        return "|\(pick(["1", "1", "1", "1", "2"]))|" + text.joined(separator: pick(["|", "|", "|", ","]))
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &self)]
    }
}
