import NIOCore
import NIOPosix

/// A client of an ssh-agent on a Unix socket (draft-miller-ssh-agent), with one request at a time. Unchecked: its state
/// is used on its event loop only.
final class AgentClient: @unchecked Sendable {
    struct Key: Sendable {
        /// The public key in its wire format.
        var blob: [UInt8]
        var algorithm: String

        var isRSA: Bool { algorithm == "ssh-rsa" }
    }

    /// The key types that libssh2 can log in with; it supports no certificates and no security keys.
    private static let usable: Set = [
        "ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521", "ssh-rsa",
    ]
    /// How long a response may take: the agent may ask its user.
    private static let responseTime = TimeAmount.seconds(15)
    private static let maximumKeys: UInt32 = 64

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

    /// Lists the keys that can be used here (SSH_AGENTC_REQUEST_IDENTITIES).
    func keys() -> AgentFuture<[Key]> {
        send([11]).parse { response in
            var reader = WireReader(response)
            guard reader.byte() == 12, let count = reader.number(), count <= Self.maximumKeys else { return nil }
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

    /// Makes a signature (SSH_AGENTC_SIGN_REQUEST), without the name of its algorithm.
    func sign(_ octets: [UInt8], with key: Key) -> AgentFuture<[UInt8]> {
        var request = WireWriter()
        request.byte(13)
        request.string(key.blob)
        request.string(octets)
        request.number(Self.flags(forSigning: octets))
        return send(request.octets).parse { response in
            var reader = WireReader(response)
            guard reader.byte() == 14, let signature = reader.string() else { return nil }
            var fields = WireReader(signature)
            guard fields.string() != nil else { return nil }
            return fields.string()
        }
    }

    /// The signature flags SSH_AGENT_RSA_SHA2_256 and SSH_AGENT_RSA_SHA2_512 (draft-miller-ssh-agent §4.5.1): an RSA
    /// key signs with the algorithm that the signed request names (RFC 4252 §7, RFC 8332). libssh2 writes the one that
    /// the server wants since 1.11.
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

    /// Sends a request and receives the response, both beginning with their type.
    private func send(_ request: [UInt8]) -> AgentFuture<[UInt8]> {
        let promise = eventLoop.makePromise(of: [UInt8].self)
        let timer = eventLoop.assumeIsolated().scheduleTask(in: Self.responseTime) {
            promise.fail(Self.unusable("it does not respond"))
        }
        promise.futureResult.assumeIsolated().whenComplete { _ in timer.cancel() }
        connect().assumeIsolated().whenComplete { result in
            switch result {
            case .failure(let error): promise.fail(Self.unusable("\(SSHError(connecting: error).reason)"))
            case .success(let channel):
                do {
                    try channel.pipeline.syncOperations.handler(type: AgentHandler.self).expectResponse(promise)
                } catch {
                    return promise.fail(Self.unusable("it closed the connection"))
                }
                var message = WireWriter()
                message.string(request)
                channel.writeAndFlush(ByteBuffer(bytes: message.octets), promise: nil)
            }
        }
        return AgentFuture(promise.futureResult)
    }

    private func connect() -> EventLoopFuture<any Channel> {
        if let channel, channel.isActive { return eventLoop.makeSucceededFuture(channel) }
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

    /// Parses the value; nil is a refusal or a malformed response.
    func parse<New: Sendable>(_ parse: @escaping @Sendable (Value) -> New?) -> AgentFuture<New> {
        AgentFuture<New>(
            future.flatMapThrowing { value in
                guard let new = parse(value) else {
                    throw AgentClient.unusable("it refuses, or its response is malformed")
                }
                return new
            })
    }

    /// Called on the event loop.
    func whenComplete(_ work: @escaping (Result<Value, SSHError>) -> Void) {
        future.assumeIsolated().whenComplete { result in
            work(result.mapError { $0 as? SSHError ?? AgentClient.unusable("it closed the connection") })
        }
    }
}

/// Assembles an agent's responses. One request is under way at a time: an agent that sends anything that is not the
/// response to it is out of step, and the connection is closed.
private final class AgentHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// OpenSSH's own limit (AGENT_MAX_LEN).
    private static let maximumLength: UInt32 = 256 << 10

    private var received = ByteBuffer()
    private var promise: EventLoopPromise<[UInt8]>?

    /// Completes the promise with the next response.
    func expectResponse(_ promise: EventLoopPromise<[UInt8]>) {
        self.promise?.fail(ChannelError.eof)
        self.promise = promise
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var octets = unwrapInboundIn(data)
        received.writeBuffer(&octets)
        guard let length = received.getInteger(at: received.readerIndex, as: UInt32.self) else { return }
        guard length > 0, length <= Self.maximumLength, promise != nil else { return context.close(promise: nil) }
        guard received.readableBytes >= 4 + Int(length) else { return }
        received.moveReaderIndex(forwardBy: 4)
        let response = received.readBytes(length: Int(length)) ?? []
        // Kept, they would be taken for the response to the next request.
        let isOutOfStep = received.readableBytes > 0
        received.clear()
        let promise = promise
        self.promise = nil
        // Before the promise, whose callbacks may send the next request at once: it needs a connection of its own.
        if isOutOfStep { context.close(promise: nil) }
        promise?.succeed(response)
    }

    func channelInactive(context: ChannelHandlerContext) {
        promise?.fail(ChannelError.eof)
        promise = nil
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        promise?.fail(error)
        promise = nil
        context.close(promise: nil)
    }
}
