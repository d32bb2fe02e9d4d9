import Foundation
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskSSH

@Suite struct HostKeyTrustTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("host-key-trust") }

    /// What a policy says of a key: nil where it accepts it.
    private func verdict(_ policy: HostKeyPolicy, on key: HostKeyFixtures.Key) throws -> SSHError? {
        do throws(SSHError) {
            try policy.verify(HostKey(key.known), key.octets)
            return nil
        } catch {
            return error
        }
    }

    private func policy(
        _ trust: Trust, system: [String] = [], host: String = "print.example", port: Int = 22
    ) async throws -> HostKeyPolicy {
        try await HostKeyTrust(systemFiles: system).policy(for: trust, host: host, port: port)
    }

    private func fingerprint(_ key: HostKeyFixtures.Key) throws -> Fingerprint {
        try #require(Fingerprint(key.fingerprint))
    }

    @Test func `reads and writes fingerprints as ssh-keygen does`() async throws {
        for key in try await HostKeyFixtures.get().all {
            let hostKey = try HostKey(key.known)
            #expect(hostKey.fingerprint.openSSH == key.fingerprint)
            #expect(Fingerprint(key.fingerprint) == hostKey.fingerprint)
            #expect(key.text.hasPrefix("\(hostKey.algorithm) "))
        }
    }

    @Test(
        arguments: [[], [0, 0, 0, 0], [0, 0, 0, 1, 65], [255, 255, 255, 255, 65], [0, 0, 0, 1, 7, 1]] as [[UInt8]])
    func `what is not a key is none`(octets: [UInt8]) {
        #expect(KnownHostKey(octets) == nil)
        #expect(octets.last == 65 || HostKey(wire: octets) == nil)
    }

    @Test func `a known key is accepted, another of its type is a change, and all else is unknown`() async throws {
        let keys = try await HostKeyFixtures.get()
        let path = try folder.write(
            "print.example \(keys.rsa.text)\nprint.example \(keys.ed25519.text)\nother \(keys.other.text)", to: "k")
        for (trust, system) in [(Trust.knownHosts(path: path), []), (.system, ["/nonexistent/known_hosts", path])] {
            let policy = try await policy(trust, system: system)
            #expect(
                policy.preferredAlgorithms.first == "ssh-ed25519"
                    && policy.preferredAlgorithms.dropFirst().first == "ssh-rsa")
            #expect(policy.alternatives.isEmpty)
            for key in [keys.ed25519, keys.rsa] { #expect(try verdict(policy, on: key) == nil) }
            let changed = try #require(try verdict(policy, on: keys.other))
            #expect(changed.code == .hostKeyChanged(from: [try fingerprint(keys.ed25519)]))
            #expect(changed.hostKey?.fingerprint == (try fingerprint(keys.other)))
            for key in [keys.other, keys.ed25519] { #expect(changed.reason.contains(key.fingerprint)) }
            let unknown = try #require(try verdict(policy, on: keys.ecdsa))
            #expect(unknown.code == .hostKeyUnknown)
            #expect(unknown.hostKey?.fingerprint == (try fingerprint(keys.ecdsa)))
            for key in [keys.ecdsa, keys.ed25519, keys.rsa] { #expect(unknown.reason.contains(key.fingerprint)) }
            let stranger = try await self.policy(trust, system: system, host: "stranger")
            #expect(stranger.preferredAlgorithms == HostKeyAlgorithms.families.flatMap(\.self))
            #expect(try verdict(stranger, on: keys.ed25519)?.code == .hostKeyUnknown)
            #expect(
                try verdict(stranger, on: keys.ed25519)?.reason
                    == "no known_hosts file knows its host key (ssh-ed25519 \(keys.ed25519.fingerprint))")
        }
    }

    @Test func `another port is another host`() async throws {
        let keys = try await HostKeyFixtures.get()
        let path = try folder.write(
            "print.example \(keys.rsa.text)\n[print.example]:2222 \(keys.ed25519.text)", to: "k")
        #expect(try verdict(await policy(.knownHosts(path: path), port: 2222), on: keys.ed25519) == nil)
        #expect(
            try verdict(await policy(.knownHosts(path: path), port: 2223), on: keys.ed25519)?.code == .hostKeyUnknown)
        let moved = try #require(try verdict(await policy(.knownHosts(path: path), port: 2223), on: keys.rsa))
        #expect(moved.code == .hostKeyUnknown)
        #expect(moved.reason.hasSuffix("but it is known as the key of the host's port 22"))
    }

    @Test
    func `a host that is known by RSA alone is asked for that, and is not called changed when it shows another type`()
        async throws
    {
        let keys = try await HostKeyFixtures.get()
        let path = try folder.write("print.example \(keys.rsa.text)", to: "k")
        let policy = try await policy(.knownHosts(path: path))
        #expect(policy.preferredAlgorithms.prefix(2) == ["ssh-rsa", "ssh-ed25519"])
        let error = try #require(try verdict(policy, on: keys.ed25519))
        #expect(error.code == .hostKeyUnknown)
        #expect(error.reason.hasSuffix("but it is known by ssh-rsa \(keys.rsa.fingerprint)"))
    }

    @Test func `what the system's files revoke is neither pinned nor believed because it was`() async throws {
        let keys = try await HostKeyFixtures.get()
        let system = try folder.write("@revoked * \(keys.ed25519.text)", to: "k")
        for trust in [Trust.ask, .pinned([try fingerprint(keys.ed25519)]), .pinned([try fingerprint(keys.other)])] {
            for files in [[system], ["/nonexistent", folder.path, system]] {
                #expect(try verdict(await policy(trust, system: files), on: keys.ed25519)?.code == .hostKeyRevoked)
            }
        }
        #expect(
            try verdict(await policy(.pinned([try fingerprint(keys.ecdsa)]), system: [system]), on: keys.ecdsa) == nil)
    }

    @Test func `a revoked key is refused wherever else it stands`() async throws {
        let keys = try await HostKeyFixtures.get()
        let system = try folder.write("print.example \(keys.ed25519.text)\nprint.example \(keys.ecdsa.text)", to: "a")
        let revoking = try folder.write("@revoked * \(keys.ed25519.text)", to: "b")
        let policy = try await policy(.system, system: [system, revoking])
        #expect(try verdict(policy, on: keys.ed25519)?.code == .hostKeyRevoked)
        #expect(try verdict(policy, on: keys.ecdsa) == nil)
        #expect(policy.preferredAlgorithms.first == "ecdsa-sha2-nistp256")
        #expect(try verdict(policy, on: keys.rsa)?.code == .hostKeyUnknown)
    }

    @Test func `a pin is its key's, and its type is asked for first once it was seen`() async throws {
        let keys = try await HostKeyFixtures.get()
        let trust = Trust.pinned([try fingerprint(keys.rsa), try fingerprint(keys.other)])
        let keeper = HostKeyTrust(systemFiles: [])
        let first = try await keeper.policy(for: trust, host: "print.example", port: 22)
        #expect(first.preferredAlgorithms.first == "ssh-ed25519")
        #expect(first.alternatives.map(\.first) == ["ssh-ed25519", "ecdsa-sha2-nistp256", "ssh-rsa"])
        #expect(
            try verdict(first, on: keys.ed25519)?.code
                == .hostKeyChanged(from: [try fingerprint(keys.rsa), try fingerprint(keys.other)]))
        #expect(try verdict(first, on: keys.rsa) == nil)
        let second = try await keeper.policy(for: trust, host: "print.example", port: 22)
        #expect(second.preferredAlgorithms.first == "ssh-rsa")
    }

    @Test func `nobody is trusted under ask, and everybody under none`() async throws {
        let key = try await HostKeyFixtures.get().ecdsa
        let error = try #require(try verdict(await policy(.ask), on: key))
        #expect(error.code == .hostKeyUnknown)
        #expect(error.reason == "nobody has accepted its host key yet (ecdsa-sha2-nistp256 \(key.fingerprint))")
        #expect(try verdict(await policy(.none), on: key) == nil)
    }

    private func refusal(_ trust: Trust, system: [String] = []) async throws -> String? {
        let error = await #expect(throws: SSHError.self) { try await policy(trust, system: system) }
        #expect(error?.code == .unusableTrust)
        return error?.reason.replacingOccurrences(of: folder.path, with: "DIR")
    }

    @Test func `a file that cannot be used is no empty file`() async throws {
        let gone = folder.appending("gone")
        #expect(
            try await refusal(.knownHosts(path: gone))
                == "the known_hosts file DIR/gone cannot be opened (No such file or directory)")
        #expect(try await refusal(.system, system: [folder.path]) == "the known_hosts file DIR is not a regular file")
        #expect(mkfifo(folder.appending("fifo"), 0o600) == 0)
        #expect(
            try await refusal(.knownHosts(path: folder.appending("fifo")))
                == "the known_hosts file DIR/fifo is not a regular file")
        let long = try folder.write(
            [UInt8](repeating: UInt8(ascii: "#"), count: KnownHostsFile.maximumLength + 1), to: "long")
        #expect(
            try await refusal(.knownHosts(path: long)) == "the known_hosts file DIR/long is longer than 1048576 octets")
        let longest = try folder.write(
            [UInt8](repeating: UInt8(ascii: "#"), count: KnownHostsFile.maximumLength), to: "longest")
        _ = try await policy(.knownHosts(path: longest))
        #expect(try await refusal(.caFile(path: "/ca.pem"))?.contains("vouches for certificates") == true)
    }

    @Test func `the system's files are those of ssh`() {
        #expect(KnownHostsFile.system.last == "/etc/ssh/ssh_known_hosts")
        #expect(KnownHostsFile.system.first?.hasSuffix("/.ssh/known_hosts") == true)
    }
}

@Suite struct HostKeyAlgorithmsTests {
    private static let old = ["ecdsa-sha2-nistp256", "ssh-ed25519", "ssh-rsa"]
    private static let new = ["ecdsa-sha2-nistp256", "ssh-ed25519", "rsa-sha2-512", "rsa-sha2-256", "ssh-rsa"]

    @Test(arguments: [
        (["ssh-rsa"], old, ["ssh-rsa", "ecdsa-sha2-nistp256", "ssh-ed25519"]),
        (["ssh-rsa"], new, ["rsa-sha2-512", "rsa-sha2-256", "ssh-rsa", "ecdsa-sha2-nistp256", "ssh-ed25519"]),
        (["ssh-rsa", "ssh-ed25519"], ["ssh-ed25519", "rsa-sha2-256"], ["rsa-sha2-256", "ssh-ed25519"]),
        (
            ["ssh-ed25519", "ssh-unheard-of", "ssh-rsa", "ssh-rsa"], new,
            ["ssh-ed25519", "rsa-sha2-512", "rsa-sha2-256", "ssh-rsa", "ecdsa-sha2-nistp256"]
        ),
        ([], new, new),
        (["ssh-rsa"], [], []),
    ])
    func `a known RSA key is asked for with every signature that libssh2 knows of it`(
        _ types: [String], _ supported: [String], _ order: [String]
    ) {
        #expect(HostKeyAlgorithms.signatures(of: types, supported: supported) == order)
    }
}
