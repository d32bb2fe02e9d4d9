import KioskAPI
import Testing

@Suite struct SocketLocationTests {
    private let all = ["KIOSKD_SOCKET": "/env.sock", "XDG_RUNTIME_DIR": "/run/user/1"]

    private func client(
        _ socket: String? = nil, _ state: String? = nil, _ environment: [String: String], exists: Bool = true
    ) -> SocketLocation {
        .forClient(socket: socket, stateDirectory: state, environment: { environment[$0] }, exists: { _ in exists })
    }

    @Test func `the first that is said wins`() {
        #expect(client("/a.sock", "/state", all).path == "/a.sock")
        #expect(client(nil, "/state", all).path == "/state/kioskd.sock")
        #expect(client(nil, nil, all).path == "/env.sock")
        #expect(client(nil, nil, ["XDG_RUNTIME_DIR": "/run/user/1"]).path == "/run/user/1/kioskd/kioskd.sock")
        #expect(client(nil, nil, [:]) == .system)
    }

    @Test func `a client passes over a runtime folder without a socket, and one that is not a path`() {
        #expect(client(nil, nil, ["XDG_RUNTIME_DIR": "/run/user/1"], exists: false) == .system)
        #expect(client(nil, nil, ["XDG_RUNTIME_DIR": "relative"]) == .system)
        #expect(client(nil, nil, ["KIOSKD_SOCKET": ""]) == .system)
    }

    @Test func `what the daemon is told on its command line comes before the environment`() {
        func daemon(_ socket: String?, _ state: String?) -> String {
            SocketLocation.forDaemon(socket: socket, stateDirectory: state, environment: { all[$0] }, isRoot: true).path
        }
        #expect(daemon("/a.sock", "/state") == "/a.sock")
        #expect(daemon(nil, "/state") == "/state/kioskd.sock")
        #expect(daemon(nil, nil) == "/env.sock")
    }

    @Test func `the daemon of a person listens where that person's clients look`() {
        func daemon(isRoot: Bool) -> SocketLocation {
            .forDaemon(environment: { ["XDG_RUNTIME_DIR": "/run/user/1"][$0] }, isRoot: isRoot)
        }
        #expect(daemon(isRoot: false).path == "/run/user/1/kioskd/kioskd.sock")
        #expect(daemon(isRoot: true) == .system)
    }

    @Test func `knows a path too long for a socket`() {
        #expect(!SocketLocation(path: String(repeating: "s", count: 107)).isTooLong)
        #expect(SocketLocation(path: String(repeating: "s", count: 108)).isTooLong)
    }
}
