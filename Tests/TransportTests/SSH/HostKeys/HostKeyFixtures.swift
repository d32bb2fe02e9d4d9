import Foundation
import PrintModel
import TestSupport

@testable import SSH

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
            guard let octets = Base64Text.decode(Array(base64.utf8)[...]), let known = KnownHostKey(octets) else {
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
