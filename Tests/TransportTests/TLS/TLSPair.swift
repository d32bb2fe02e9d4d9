import KioskPrintModel
import KioskTLS
import KioskTestSupport

/// The certificates that the TLS tests share, since creating them takes a dozen runs of `openssl`.
struct TLSFixtures: Sendable {
    let authority: TestAuthority
    let otherAuthority: TestAuthority
    /// For localhost, 127.0.0.1 and ::1.
    let server: TestCertificate
    let client: TestCertificate

    static let shared = Task {
        async let authority = TestAuthority("Kiosk CA")
        async let other = TestAuthority("Another CA")
        let (one, two) = try await (authority, other)
        async let server = one.issue()
        async let client = one.issue(.init("till-7", purpose: .client))
        return try await TLSFixtures(authority: one, otherAuthority: two, server: server, client: client)
    }

    static func get() async throws -> TLSFixtures { try await shared.value }

    var identity: TLSIdentity { get throws { try server.identity } }
    var trust: Trust { .caFile(path: authority.root) }
}

extension TestCertificate {
    var identity: TLSIdentity {
        get throws(TLSError) { try TLSIdentity.load(.init(path: chain, keyPath: key)) }
    }
}

extension TLSContext {
    static func client(
        _ trust: Trust, identity: TLSIdentity? = nil, version: TLSVersion = .tls13, protocols: [String] = ["http/1.1"]
    ) throws(TLSError) -> TLSContext {
        var configuration = TLSClientConfiguration(trust: trust, identity: identity, applicationProtocols: protocols)
        configuration.highestVersion = version
        return try TLSContext(configuration)
    }

    static func server(
        _ identity: TLSIdentity, clientCAs: String? = nil, requiresClient: Bool = false, version: TLSVersion = .tls13,
        protocols: [String] = ["http/1.1"]
    ) throws(TLSError) -> TLSContext {
        var configuration = TLSServerConfiguration(
            identity: identity, clientCAFile: clientCAs, requiresClientCertificate: requiresClient,
            applicationProtocols: protocols)
        configuration.highestVersion = version
        return try TLSContext(configuration)
    }
}

/// A client's and a server's session, connected in memory.
final class TLSPair {
    let client: TLSSession
    let server: TLSSession
    /// How many octets are transferred at once.
    var stride = Int.max
    /// The offset at which each flight is split in two.
    var split: Int?
    private(set) var maximumFlight = 0
    /// Octets sent.
    private(set) var clientSent = 0
    private(set) var serverSent = 0

    init(
        client: TLSContext, server: TLSContext, host: String = "localhost", sessions: TLSSessionCache? = nil
    ) throws(TLSError) {
        self.client = try TLSSession(client: client, host: host, sessions: sessions)
        self.server = try TLSSession(server: server)
    }

    /// Completes both handshakes, or stops when one has failed and its alert was delivered.
    @discardableResult
    func performHandshake() throws(TLSError) -> (client: TLSHandshake, server: TLSHandshake) {
        var (clientOutcome, serverOutcome) = (client.handshake(), server.handshake())
        while true {
            let moved =
                transfer(client, server) { serverOutcome = server.handshake() }
                + transfer(server, client) { clientOutcome = client.handshake() }
            if case .done(let client) = clientOutcome, case .done(let server) = serverOutcome, moved == 0 {
                return (client, server)
            }
            guard moved > 0 else { break }
        }
        if case .failed(let error) = clientOutcome { throw error }
        if case .failed(let error) = serverOutcome { throw error }
        throw TLSError(.handshakeFailed, reason: "both sides wait for input")
    }

    /// Transfers what one side has to send. Calls `step` after each piece.
    @discardableResult
    func transfer(_ from: TLSSession, _ to: TLSSession, _ step: () -> Void) -> Int {
        let octets = from.output()
        var rest = octets[...]
        maximumFlight = max(maximumFlight, octets.count)
        while !rest.isEmpty {
            let length = rest.count == octets.count ? split ?? stride : stride
            let taken = to.feed(Array(rest.prefix(length)))
            rest = rest.dropFirst(taken)
            step()
            guard taken > 0 else { break }
        }
        if from === client { clientSent += octets.count } else { serverSent += octets.count }
        return octets.count
    }

    /// Sends all of `octets` and returns what the other side received.
    func send(_ octets: [UInt8], from: TLSSession, to: TLSSession) throws(TLSError) -> [UInt8] {
        var received: [UInt8] = []
        var rest = octets[...]
        var failure: TLSError?
        while !rest.isEmpty {
            switch from.put(Array(rest.prefix(100_000))) {
            case .written(let count): rest = rest.dropFirst(count)
            case .full: break
            case .failed(let error): throw error
            }
            transfer(from, to) {
                let (piece, end) = to.drain()
                received += piece
                if case .failed(let error) = end { failure = error }
            }
            if let failure { throw failure }
        }
        return received
    }
}

extension TLSSession {
    /// Takes everything that is ready to be sent.
    func output() -> [UInt8] {
        var octets = [UInt8](repeating: 0, count: pendingOutput)
        let count = octets.withUnsafeMutableBytes { takeOutput(into: $0) }
        return Array(octets.prefix(count))
    }

    func feed(_ octets: [UInt8]) -> Int { octets.withUnsafeBytes { receive($0) } }

    func put(_ octets: [UInt8]) -> WriteOutcome { octets.withUnsafeBytes { write($0) } }

    /// Reads until no more data comes. Returns the data and the last outcome.
    func drain(_ piece: Int = 4096) -> ([UInt8], ReadOutcome) {
        var octets: [UInt8] = []
        var space = [UInt8](repeating: 0, count: piece)
        while true {
            let outcome = space.withUnsafeMutableBytes { read(into: $0) }
            guard case .read(let count) = outcome else { return (octets, outcome) }
            octets += space.prefix(count)
        }
    }
}

extension TLSSession.ReadOutcome {
    var error: TLSError? {
        if case .failed(let error) = self { error } else { nil }
    }

    var isClosed: Bool {
        if case .closed = self { true } else { false }
    }
}

extension TLSError.Code {
    var name: String {
        switch self {
        case .untrusted: "untrusted"
        case .changed: "changed"
        case .notAccepted: "notAccepted"
        case .unusableTrust: "unusableTrust"
        case .badIdentity: "badIdentity"
        case .clientRefused: "clientRefused"
        case .handshakeFailed: "handshakeFailed"
        case .truncated: "truncated"
        case .broken: "broken"
        }
    }
}
