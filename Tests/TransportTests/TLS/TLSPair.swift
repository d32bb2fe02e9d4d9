import TLS

/// Two sessions and the wire between them, in memory.
final class TLSPair {
    let client: TLSSession
    let server: TLSSession
    /// How many octets are handed over at once.
    var stride = Int.max
    /// Where each flight is cut in two.
    var split: Int?
    private(set) var longestFlight = 0
    /// What was sent, for tests that look at it.
    private(set) var clientSent = 0
    private(set) var serverSent = 0

    init(
        client: TLSContext, server: TLSContext, host: String = "localhost", sessions: TLSSessionCache? = nil
    ) throws(TLSError) {
        self.client = try TLSSession(client: client, host: host, sessions: sessions)
        self.server = try TLSSession(server: server)
    }

    /// Shakes hands until both are done, or one failed and its alert was delivered.
    @discardableResult
    func shakeHands() throws(TLSError) -> (client: TLSHandshake, server: TLSHandshake) {
        var (mine, its) = (client.handshake(), server.handshake())
        while true {
            let moved =
                carry(client, server) { its = server.handshake() } + carry(server, client) { mine = client.handshake() }
            if case .done(let mine) = mine, case .done(let its) = its, moved == 0 { return (mine, its) }
            guard moved > 0 else { break }
        }
        if case .failed(let error) = mine { throw error }
        if case .failed(let error) = its { throw error }
        throw TLSError(.handshakeFailed, reason: "both wait")
    }

    /// Hands over what one side has to send, and tells after each piece.
    @discardableResult
    func carry(_ from: TLSSession, _ to: TLSSession, _ step: () -> Void) -> Int {
        let octets = from.output()
        var rest = octets[...]
        longestFlight = max(longestFlight, octets.count)
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

    /// Sends all of `octets` and returns what came out on the other side.
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
            carry(from, to) {
                let (some, end) = to.drain()
                received += some
                if case .failed(let error) = end { failure = error }
            }
            if let failure { throw failure }
        }
        return received
    }
}

extension TLSSession {
    /// All there is to send.
    func output() -> [UInt8] {
        var octets = [UInt8](repeating: 0, count: pendingOutput)
        let count = octets.withUnsafeMutableBytes { takeOutput(into: $0) }
        return Array(octets.prefix(count))
    }

    func feed(_ octets: [UInt8]) -> Int { octets.withUnsafeBytes { receive($0) } }

    func put(_ octets: [UInt8]) -> WriteOutcome { octets.withUnsafeBytes { write($0) } }

    /// Reads until there is no more, and tells why.
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
