import NIOCore
import NIOPosix

/// An ssh-agent at the other end of a Unix socket (draft-miller-ssh-agent), asked one thing after the other. Unchecked:
/// its state is used on its event loop only.
final class AgentClient: @unchecked Sendable {
    struct Key: Sendable {
        /// The public key as it is on the wire.
        var blob: [UInt8]
        var algorithm: String

        var isRSA: Bool { algorithm == "ssh-rsa" }
    }

    /// What libssh2 can log in with; certificates and security keys are none of it.
    private static let usable: Set = [
        "ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521", "ssh-rsa",
    ]
    /// The agent may ask somebody.
    private static let answerTime = TimeAmount.seconds(15)
    private static let mostKeys: UInt32 = 64

    private let socket: String
    private let eventLoop: any EventLoop
    private var channel: (any Channel)?

    init(socket: String, eventLoop: any EventLoop) {
        self.socket = socket
        self.eventLoop = eventLoop
    }

    static func unusable(_ reason: String) -> SSHError {
        SSHError(.credentialsUnusable, operation: "log in", reason: "the ssh-agent cannot be used: \(reason)")
    }

    func close() {
        channel?.close(promise: nil)
        channel = nil
    }

    /// Its keys that can be used here (SSH_AGENTC_REQUEST_IDENTITIES).
    func keys() -> AgentFuture<[Key]> {
        ask([11]).read { answer in
            var reader = WireReader(answer)
            guard reader.byte() == 12, let count = reader.number(), count <= Self.mostKeys else { return nil }
            var keys: [Key] = []
            for _ in 0..<count {
                guard let blob = reader.string(), reader.string() != nil else { return nil }
                var fields = WireReader(blob)
                guard let name = fields.string() else { return nil }
                let algorithm = String(decoding: name, as: UTF8.self)
                if Self.usable.contains(algorithm) { keys.append(Key(blob: blob, algorithm: algorithm)) }
            }
            return keys
        }
    }

    /// The bare signature (SSH_AGENTC_SIGN_REQUEST), without the name of its algorithm.
    func sign(_ octets: [UInt8], with key: Key) -> AgentFuture<[UInt8]> {
        var request = WireWriter()
        request.byte(13)
        request.string(key.blob)
        request.string(octets)
        request.number(Self.flags(forSigning: octets))
        return ask(request.octets).read { answer in
            var reader = WireReader(answer)
            guard reader.byte() == 14, let signature = reader.string() else { return nil }
            var fields = WireReader(signature)
            guard fields.string() != nil else { return nil }
            return fields.string()
        }
    }

    /// How an RSA key is to sign: as the request that it signs names it (RFC 4252 §7, RFC 8332), which libssh2 writes
    /// as the server wants it since 1.11. SSH_AGENT_RSA_SHA2_256 and SSH_AGENT_RSA_SHA2_512 (draft-miller-ssh-agent
    /// §4.5.1).
    static func flags(forSigning octets: [UInt8]) -> UInt32 {
        var reader = WireReader(octets)
        // The session, SSH_MSG_USERAUTH_REQUEST, the user, the service, the method, and that a signature follows.
        guard reader.string() != nil, reader.byte() == 50, reader.string() != nil, reader.string() != nil,
            reader.string() != nil,
            reader.byte() == 1, let algorithm = reader.string()
        else { return 0 }
        switch String(decoding: algorithm, as: UTF8.self) {
        case "rsa-sha2-256": return 2
        case "rsa-sha2-512": return 4
        default: return 0
        }
    }

    /// One request and its answer, from their type on.
    private func ask(_ request: [UInt8]) -> AgentFuture<[UInt8]> {
        let promise = eventLoop.makePromise(of: [UInt8].self)
        let timer = eventLoop.assumeIsolated().scheduleTask(in: Self.answerTime) {
            promise.fail(Self.unusable("it does not answer"))
        }
        promise.futureResult.assumeIsolated().whenComplete { _ in timer.cancel() }
        connect().assumeIsolated().whenComplete { result in
            switch result {
            case .failure(let error): promise.fail(Self.unusable("\(SSHError(connecting: error).reason)"))
            case .success(let channel):
                do {
                    try channel.pipeline.syncOperations.handler(type: AgentHandler.self).expect(promise)
                } catch {
                    return promise.fail(Self.unusable("it hung up"))
                }
                var message = WireWriter()
                message.string(request)
                channel.writeAndFlush(ByteBuffer(bytes: message.octets), promise: nil)
            }
        }
        return AgentFuture(promise.futureResult)
    }

    private func connect() -> EventLoopFuture<any Channel> {
        if let channel { return eventLoop.makeSucceededFuture(channel) }
        return ClientBootstrap(group: eventLoop)
            .connectTimeout(.seconds(5))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(AgentHandler()) }
            }
            .connect(unixDomainSocketPath: socket)
            .map { [self] channel in
                self.channel = channel
                return channel
            }
    }
}

/// A future whose failure is an `SSHError`.
struct AgentFuture<Value: Sendable> {
    private let future: EventLoopFuture<Value>

    init(_ future: EventLoopFuture<Value>) { self.future = future }

    /// What `parse` makes of it; nil is an answer that is none, or that says no.
    func read<New: Sendable>(_ parse: @escaping @Sendable (Value) -> New?) -> AgentFuture<New> {
        AgentFuture<New>(
            future.flatMapThrowing { value in
                guard let new = parse(value) else {
                    throw AgentClient.unusable("it refuses, or answers what is no answer")
                }
                return new
            })
    }

    /// On the event loop.
    func whenComplete(_ work: @escaping (Result<Value, SSHError>) -> Void) {
        future.assumeIsolated().whenComplete { result in
            work(result.mapError { $0 as? SSHError ?? AgentClient.unusable("it hung up") })
        }
    }
}
