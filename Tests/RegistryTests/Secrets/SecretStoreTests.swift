import Foundation
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskPrinterRegistry

@Suite struct SecretStoreTests {
    private let folder: TemporaryFolder
    private let managed: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder("secrets")
        managed = try TemporaryFolder("managed")
    }

    @discardableResult
    private func write(_ text: String, to name: String = "secrets.yaml", mode: mode_t = 0o600) throws -> String {
        let path = try folder.write(text, to: name)
        #expect(chmod(path, mode) == 0)
        return path
    }

    private var store: SecretStore {
        SecretStore(path: folder.appending("secrets.yaml"), credentialsDirectory: managed.path)
    }

    private func message(_ name: String, _ store: SecretStore? = nil) async -> String? {
        do {
            _ = try await (store ?? self.store).credentials(named: name)
            return nil
        } catch {
            return (error as? CredentialError)?.message.replacingOccurrences(of: folder.path, with: "DIR")
                .replacingOccurrences(of: managed.path, with: "MANAGED")
        }
    }

    @Test func `reads a name's credentials`() async throws {
        try write(
            """
            # The gateway's.
            office: { user: kiosk, password: "a: b # c" }
            gateway:
              client-certificate: gateway.p12
              passphrase: 0815
            """)
        try write("p12", to: "gateway.p12")
        #expect(
            try await store.credentials(named: "office") == Credentials(user: "kiosk", password: Secret("a: b # c")))
        #expect(
            try await store.credentials(named: "gateway")
                == Credentials(
                    clientCertificate: .init(path: folder.appending("gateway.p12"), passphrase: Secret("0815"))))
    }

    @Test(
        arguments: [
            (
                0o644,
                "cannot use DIR/secrets.yaml: users other than its owner can read or change it (mode 0644); run: chmod 600 DIR/secrets.yaml"
            ),
            (
                0o640,
                "cannot use DIR/secrets.yaml: users other than its owner can read or change it (mode 0640); run: chmod 600 DIR/secrets.yaml"
            ),
            (
                0o602,
                "cannot use DIR/secrets.yaml: users other than its owner can read or change it (mode 0602); run: chmod 600 DIR/secrets.yaml"
            ),
            (0o400, nil),
        ] as [(mode_t, String?)])
    func `refuses a file that others can read or change`(mode: mode_t, problem: String?) async throws {
        try write("office: { user: kiosk, password: hunter2 }", mode: mode)
        #expect(await message("office") == problem)
    }

    @Test(.enabled(if: geteuid() == 0)) func `refuses a file of another user`() async throws {
        let path = try write("office: { user: kiosk, password: hunter2 }")
        #expect(chown(path, 65534, 0) == 0)
        #expect(
            await message("office")
                == "cannot use DIR/secrets.yaml: it belongs to user 65534, who is neither root nor the user of this program; run: chown 0 DIR/secrets.yaml"
        )
    }

    @Test(
        arguments: [
            (
                "office: { user: kiosk, pasword: hunter2, password: x }",
                "DIR/secrets.yaml:1:24: a name of credentials has a key that is not known; write password"
            ),
            (
                "office: { hunter2: kiosk }",
                "DIR/secrets.yaml:1:11: a name of credentials has a key that is not known; write one of user, password, token, client-certificate, client-key, private-key, passphrase, agent"
            ),
            (
                "office: { user: kiosk }",
                "DIR/secrets.yaml:1:17: there is a user without a password or private-key or agent; write password: … or private-key: … or agent: … beside it"
            ),
            (
                "office: { user: \"a:b\", password: hunter2 }",
                "DIR/secrets.yaml:1:17: the user contains a colon, which no login over HTTP allows; write the name without it"
            ),
            (
                "office: { password: [hunter2], user: a }",
                "DIR/secrets.yaml:1:21: the password must be a string, and is a list; write a string; in quotes where it contains : or # or begins with a special character"
            ),
            (
                "office: hunter2",
                "DIR/secrets.yaml:1:9: a name of credentials must be a mapping, and is a single value; write key: value lines with user, password, token, client-certificate, client-key, private-key, passphrase, agent"
            ),
            (
                "office:",
                "DIR/secrets.yaml:1:1: the credentials are empty; write user: and password:, token:, client-certificate: or private-key:"
            ),
            (
                "hunter2",
                "DIR/secrets.yaml:1:1: the secrets must be a mapping, and are a single value; write NAME: { user: …, password: … }"
            ),
            (
                "hunter 2: x",
                "DIR/secrets.yaml:1:1: a name of credentials is not valid; write letters, digits, dots, hyphens and underscores, and a mapping below"
            ),
            (
                "{hunter2: 1, hunter2: 2}",
                "DIR/secrets.yaml:1:14: a key appears twice in the same mapping; write it once"
            ),
            (
                "office: { user: a, passphrase: hunter2, password: x }",
                "DIR/secrets.yaml:1:32: there is a passphrase without a client-certificate or private-key; write client-certificate: … or private-key: … beside it"
            ),
            (
                "office: { private-key: hunter2, client-certificate: a.p12 }",
                "DIR/secrets.yaml:1:24: a private-key is for SSH and a client-certificate for TLS, and no printer accepts both; write it under another name"
            ),
            (
                "office: { agent: false, password: hunter2 }",
                "DIR/secrets.yaml:1:18: the agent cannot be false; write true, the path of an agent's socket, or no such key"
            ),
            (
                "office: { agent: [hunter2] }",
                "DIR/secrets.yaml:1:18: the agent must be a string, and is a list; write a string; in quotes where it contains : or # or begins with a special character"
            ),
            (
                "office: { private-key: \"\" , passphrase: hunter2 }",
                "DIR/secrets.yaml:1:24: the private key is empty; write the path of a file"
            ),
            (
                "office:\n\tpassword: hunter2",
                "DIR/secrets.yaml:2:1: the YAML cannot be read: found character that cannot start any token; write spaces instead of tabs"
            ),
            ("office: { user: a, password: hunter2: x", nil),
            ("office: *hunter2", nil),
            ("office: !hunter2 x", nil),
            (
                "office: { user: a, password: \"hunter2\\n\" }",
                "DIR/secrets.yaml:1:30: the password is longer than 4096 bytes or not one line; write one line"
            ),
            ("", "there are no credentials \"office\" in DIR/secrets.yaml; add them under that name"),
        ] as [(String, String?)])
    func `says what is wrong, and never repeats a value`(text: String, problem: String?) async throws {
        try write(text)
        let said = try #require(await message("office"))
        if let problem { #expect(said == problem) }
        #expect(!said.contains("hunter"))
    }

    @Test(arguments: [("eyJ0.ab-c_~+/==", true), ("Bearer abc", false), ("=", false), ("a b", false), ("ä", false)])
    func `a token is one that a Bearer login can carry`(token: String, isValid: Bool) {
        let entry = SecretReader.entry(Array("token: \"\(token)\"\n".utf8), file: "/etc/kioskd/secrets.yaml")
        switch entry {
        case .success(let credentials):
            #expect(isValid && credentials.token?.reveal() == token)
        case .failure(let error):
            #expect(!isValid && error.message.contains("Bearer"))
            #expect(!error.message.contains(token) || token == "=")
        }
    }

    @Test func `a mistake in one entry leaves the others usable`() async throws {
        try write("office: { usr: kiosk }\ngateway: { user: kiosk, password: x }")
        #expect(await message("office") != nil)
        #expect(await message("gateway") == nil)
    }

    @Test func `says which file is missing`() async throws {
        #expect(
            await message("office")
                == "there are no credentials \"office\": DIR/secrets.yaml does not exist; write them there, with mode 0600"
        )
        #expect(
            await message("../etc")
                == "the credentials have no name that a file could have; write letters, digits, dots, hyphens and underscores"
        )
    }

    @Test func `reads what logs in over SSH`() async throws {
        try write(
            """
            host: { private-key: keys/id, passphrase: "s3 cret", agent: true }
            shared: { user: kiosk, agent: /run/agent.sock }
            near: { agent: agent.sock }
            simple: { password: hunter2 }
            """)
        _ = try TemporaryFolder(at: folder.appending("keys"), isKept: true)
        try write("key", to: "keys/id")
        #expect(
            try await store.credentials(named: "host")
                == Credentials(
                    privateKey: .init(path: folder.appending("keys/id"), passphrase: Secret("s3 cret")),
                    agent: .environment))
        #expect(
            try await store.credentials(named: "shared")
                == Credentials(user: "kiosk", agent: .socket(path: "/run/agent.sock")))
        #expect(try await store.credentials(named: "near").agent == .socket(path: folder.appending("agent.sock")))
        #expect(try await store.credentials(named: "simple") == Credentials(password: Secret("hunter2")))
    }

    @Test(
        arguments: [
            ("user: kiosk, password: x", "ipp://h", nil), ("client-certificate: a.p12", "ipps://h", nil),
            (
                "password: hunter2", "ipp://h",
                "the credentials \"office\" hold no user with a password, no token and no client certificate, which ipp logs in with; add them to the secrets file"
            ),
            (
                "agent: true", "ipps://h",
                "the credentials \"office\" hold no user with a password, no token and no client certificate, which ipps logs in with; add them to the secrets file"
            ),
            ("password: hunter2", "ssh+lpr://till@h/q", nil), ("agent: true", "ssh+lpr://till@h/q", nil),
            ("private-key: a.p12", "ssh+lpr://till@h/q", nil),
            ("user: till, password: hunter2", "ssh+lpr://till@h/q", nil),
            (
                "user: kiosk, password: hunter2", "ssh+lpr://till@h/q",
                "the credentials \"office\" are for another user than the one in ssh+lpr://till@h/q; remove the user from the secrets file, or correct one of them"
            ),
            (
                "client-certificate: a.p12", "ssh+lpr://till@h/q",
                "the credentials \"office\" hold no private key, agent or password, which ssh+lpr logs in with; add one to the secrets file"
            ),
        ] as [(String, String, String?)])
    func `says when credentials do not suit a printer`(entry: String, url: String, problem: String?) async throws {
        try write("office: { \(entry) }")
        try write("key", to: "a.p12")
        let (credentials, url) = (try await store.credentials(named: "office"), try PrinterURL(url))
        do throws(CredentialError) {
            try credentials.check(named: "office", for: url)
            #expect(problem == nil)
        } catch {
            #expect(error.message == problem)
        }
    }

    @Test(
        arguments: [
            (
                0o640, "private-key: a.p12",
                "cannot use DIR/a.p12: users other than its owner can read or change it (mode 0640); run: chmod 600 DIR/a.p12"
            ),
            (0o600, "private-key: a.p12", nil),
            (0o600, "private-key: gone", "there is no file DIR/gone for the private key; create it, with mode 0600"),
            (
                0o640, "client-certificate: a.p12",
                "cannot use DIR/a.p12: users other than its owner can read or change it (mode 0640); run: chmod 600 DIR/a.p12"
            ),
            (0o600, "client-certificate: a.p12", nil),
            (
                0o644, "{ client-certificate: public.pem, client-key: a.p12 }",
                "cannot use DIR/a.p12: users other than its owner can read or change it (mode 0644); run: chmod 600 DIR/a.p12"
            ),
            (0o600, "{ client-certificate: public.pem, client-key: a.p12 }", nil),
            (
                0o600, "client-certificate: gone.p12",
                "there is no file DIR/gone.p12 for the client certificate; create it, with mode 0600"
            ),
        ] as [(mode_t, String, String?)])
    func `keeps a private key like a secret`(mode: mode_t, entry: String, problem: String?) async throws {
        try write("office:\n  \(entry)")
        try write("key", to: "a.p12", mode: mode)
        try write("certificate", to: "public.pem", mode: 0o644)
        #expect(await message("office") == problem)
    }

    @Test func `the service manager's credentials come first, with root's access list`() async throws {
        try write("office: { user: file, password: x }\ngateway: { user: file, password: x }")
        let path = try managed.write("user: managed\npassword: y", to: "office")
        #expect(chmod(path, 0o440) == 0)
        #expect(try await store.credentials(named: "office").user == "managed")
        #expect(try await store.credentials(named: "gateway").user == "file")
        #expect(chmod(path, 0o444) == 0)
        #expect(
            await message("office")
                == "cannot use MANAGED/office: users other than its owner can read or change it (mode 0444); run: chmod 600 MANAGED/office"
        )
    }

    @Test func `what the file says now counts`() async throws {
        let store = store
        let path = try write("office: { user: one, password: x }")
        // Old enough to be kept in memory.
        var times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
        #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
        for user in ["one", "two", "six"] {
            try write("office: { user: \(user), password: x }")
            #expect(try await store.credentials(named: "office").user == user)
        }
        #expect(chmod(path, 0o644) == 0)
        #expect(await message("office", store)?.contains("mode 0644") == true)
        #expect(unlink(path) == 0)
        #expect(await message("office", store)?.contains("does not exist") == true)
    }

    @Test func `refuses what is not a file, or too long`() async throws {
        #expect(mkfifo(folder.appending("secrets.yaml"), 0o600) == 0)
        #expect(await message("office") == "cannot use DIR/secrets.yaml: it is not a regular file; name a file")
        #expect(unlink(folder.appending("secrets.yaml")) == 0)
        try write("office: { user: kiosk, password: x }\n" + String(repeating: "# x\n", count: 1 << 17))
        #expect(await message("office") == "cannot use DIR/secrets.yaml: it is longer than 262144 bytes; shorten it")
    }

    @Test func `tells when the file was changed`() async throws {
        try write("office: { user: one, password: x }")
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
        let store = store
        let watching = Task { try await store.watch(since: store.snapshot()) { _ in continuation.yield() } }
        // The watch may begin after the first changes: they are repeated until one is seen.
        let writing = Task {
            while !Task.isCancelled {
                try write("office: { user: two, password: x }")
                try await Task.sleep(for: .milliseconds(300))
            }
        }
        for await _ in changes { break }
        writing.cancel()
        watching.cancel()
        try? await writing.value
        try await watching.value
    }

    @Test(
        .enabled(if: geteuid() == 0),
        arguments: [
            (65534, nil),
            (
                0,
                "cannot use DIR/secrets.yaml: it belongs to root, and user 65534, who owns the registry, cannot read it; run: chown 65534 DIR/secrets.yaml"
            ),
            (
                7,
                "cannot use DIR/secrets.yaml: it belongs to user 7, and the registry to user 65534; check as the user that kioskd runs as: sudo -u '#7' kioskd --check --registry FILE, or run: chown 65534 DIR/secrets.yaml"
            ),
        ] as [(uid_t, String?)])
    func `root that looks for the daemon's user takes that user's file`(owner: uid_t, problem: String?) async throws {
        let path = try write("office: { user: kiosk, password: hunter2 }")
        #expect(chown(path, owner, 0) == 0)
        #expect(
            await message("office", SecretStore(path: path, credentialsDirectory: managed.path, user: 65534)) == problem
        )
    }

    @Test func `outside the service it says where else the credentials may be`() async throws {
        let store = SecretStore(path: folder.appending("secrets.yaml"))
        #expect(await message("office", store)?.contains("LoadCredential=office:FILE kioskd --check") == true)
        try write("other: { user: kiosk, password: x }")
        #expect(await message("office", store)?.contains("LoadCredential=office:FILE kioskd --check") == true)
    }

    /// The names, of those asked for, that an edit changes.
    private func changed(by edit: () throws -> Void) async throws -> [String] {
        let store = store
        let before = await store.snapshot()
        try edit()
        let change = SecretChange(before: before, after: await store.snapshot())
        return ["office", "gateway", "missing"].filter(change.concerns)
    }

    @Test func `a change concerns the names behind which something else stands now, and no others`() async throws {
        let path = try write("office: { user: kiosk, password: a }\ngateway: { client-certificate: gateway.p12 }")
        try write("p12", to: "gateway.p12")
        #expect(try await changed { _ = utimes(path, nil) } == [])
        try write("key", to: "id")
        try write("office: { private-key: id }\ngateway: { client-certificate: gateway.p12 }")
        #expect(try await changed { try write("another key", to: "id") } == ["office"])
        try write("office: { user: kiosk, password: a }\ngateway: { client-certificate: gateway.p12 }")
        #expect(
            try await changed {
                try write("gateway: { client-certificate: gateway.p12 }\noffice: { user: kiosk, password: a }")
            } == [])
        #expect(
            try await changed {
                try write("gateway: { client-certificate: gateway.p12 }\noffice: { user: kiosk, password: b }")
            } == ["office"])
        #expect(try await changed { try write("renewed", to: "gateway.p12") } == ["gateway"])
        #expect(try await changed { _ = unlink(folder.appending("gateway.p12")) } == ["gateway"])
        #expect(try await changed { _ = chmod(path, 0o644) } == ["office", "gateway", "missing"])
        #expect(try await changed { _ = unlink(path) } == ["office", "gateway", "missing"])
        #expect(try await changed { try write("missing: { user: a, password: b }") } == ["missing"])
    }

    @Test func `tells when a certificate that it names was renewed`() async throws {
        let other = try TemporaryFolder("certificates")
        try other.write("old", to: "gateway.p12")
        try write(
            "gateway: { client-certificate: \(other.appending("gateway.p12")) }\noffice: { user: a, password: b }")
        let (changes, continuation) = AsyncStream.makeStream(of: [String].self)
        let store = store
        let watching = Task {
            try await store.watch(since: store.snapshot()) { change in
                continuation.yield(["office", "gateway"].filter(change.concerns))
            }
        }
        var seen = changes.makeAsyncIterator()
        // The watch has begun.
        #expect(await seen.next() == [])
        try other.write("renewed", to: "gateway.p12")
        #expect(await seen.next() == ["gateway"])
        watching.cancel()
        try await watching.value
    }
}
