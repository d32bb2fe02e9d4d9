import NIOCore

/// An SFTP client in a channel: runs many operations at the same time. Their requests take turns, and each is sent as a
/// whole.
final class SFTPClient: ChannelClient {
    let name = "SFTP"
    /// Octets of requests that are encoded ahead of the channel's window.
    private static let encodeAhead = 64 << 10

    private let clock: any HostClock
    private let responseTime: TimeAmount
    private let keepTime: TimeAmount
    /// Takes back operations that had sent nothing when the session broke.
    private let returned: (any SFTPOperation) -> Void
    private var operations: [any SFTPOperation] = []
    private var outstanding: [UInt32: (operation: any SFTPOperation, request: SFTPRequest)] = [:]
    private var lastID: UInt32 = 0
    private var outgoing = ByteBuffer()
    private var incoming = ByteBuffer()
    private var isReady = false
    private var isOpen = false
    private var lastResponse: NIODeadline
    private(set) var isGivenUp = false
    /// Whether operations may still be added.
    private(set) var isAccepting = true
    /// Other calls wait for a channel, so this one closes as soon as it is idle.
    var closesWhenIdle = false

    init(
        clock: any HostClock, responseTime: TimeAmount, keepTime: TimeAmount,
        returned: @escaping (any SFTPOperation) -> Void
    ) {
        self.clock = clock
        lastResponse = clock.now
        self.responseTime = responseTime
        self.keepTime = keepTime
        self.returned = returned
    }

    var request: (kind: String, argument: String) { ("subsystem", "sftp") }

    func add(_ operation: any SFTPOperation) {
        if outstanding.isEmpty { lastResponse = clock.now }
        operations.append(operation)
    }

    func opened() {
        isOpen = true
        lastResponse = clock.now
    }

    func started() { outgoing.writeBytes(SFTPRequest.initialisation) }

    func step(on stream: ChannelStream) throws(SSHError) -> ChannelStep {
        var progressed = false
        while let octets = try stream.read(.output) {
            incoming.writeBytes(octets)
            do throws(SSHError) { try takeResponses() } catch { throw isReady ? error : Self.missing }
            progressed = true
        }
        // Nobody reads its error output, but that must not fill the window.
        while try stream.read(.errors) != nil { progressed = true }
        if try stream.isClosed() {
            throw isReady ? SSHError(.connectionLost, operation: name, reason: "the server ended SFTP") : Self.missing
        }
        if try send(stream) { progressed = true }
        operations.removeAll(where: \.isOver)
        if operations.isEmpty, outstanding.isEmpty, isReady, closesWhenIdle || clock.now - lastResponse > keepTime {
            isAccepting = false
            return .done
        }
        return progressed ? .progressed : .blocked
    }

    private static var missing: SSHError {
        SSHError(
            .channelRefused, operation: "SFTP",
            reason:
                "the server offers no working SFTP: its sftp-server is missing, or the user's shell prints something "
                + "when it starts (\"sftp\" to the same user shows which)")
    }

    private func takeResponses() throws(SSHError) {
        while let (id, response) = try SFTPResponse.decode(from: &incoming) {
            lastResponse = clock.now
            if case .version(let version) = response {
                guard version >= 3, !isReady else { throw SFTPResponse.malformed }
                isReady = true
            } else {
                guard let id, let (operation, request) = outstanding.removeValue(forKey: id) else {
                    throw SFTPResponse.malformed
                }
                operation.received(response, to: request)
            }
        }
        incoming.discardReadBytes()
    }

    private func send(_ stream: ChannelStream) throws(SSHError) -> Bool {
        var progressed = false
        while stream.connection.canSend {
            if isReady { encodeRequests() }
            let count = try stream.write(outgoing)
            guard count > 0 else { break }
            outgoing.moveReaderIndex(forwardBy: count)
            outgoing.discardReadBytes()
            progressed = true
        }
        return progressed
    }

    /// Encodes one request of each operation in turn.
    private func encodeRequests() {
        var isAnyEncoded = true
        while isAnyEncoded, outgoing.readableBytes < Self.encodeAhead {
            isAnyEncoded = false
            for operation in operations {
                guard let request = operation.nextRequest() else { continue }
                isAnyEncoded = true
                lastID &+= 1
                outstanding[lastID] = (operation, request)
                request.encode(id: lastID, into: &outgoing)
            }
        }
    }

    func checkTime(_ now: NIODeadline) {
        let isAwaitingResponse = isOpen && (!isReady || !outstanding.isEmpty)
        guard isAwaitingResponse, !isGivenUp, now - lastResponse > responseTime else { return }
        isGivenUp = true
        failed(SSHError(.timedOut, operation: name, reason: "the server does not respond"))
    }

    func failed(_ error: SSHError) {
        isAccepting = false
        let operations = operations
        self.operations = []
        outstanding = [:]
        for operation in operations where !operation.isOver {
            if operation.isUnsent, !operation.isRetried, error.code == .connectionLost || error.code == .timedOut {
                operation.isRetried = true
                returned(operation)
            } else {
                operation.failed(error)
            }
        }
    }
}
