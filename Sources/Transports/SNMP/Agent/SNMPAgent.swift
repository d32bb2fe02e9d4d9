import KioskPrintModel
import NIOCore
import NIOPosix
import Synchronization

/// A printer's SNMP agent, which is asked over UDP: each query has a socket of its own that is connected to the agent,
/// so that nobody else's datagrams reach it.
package struct SNMPAgent: Sendable {
    /// A host name or an address.
    let host: String
    let port: Int
    let community: String
    let deadlines: Deadlines
    let group: any EventLoopGroup

    /// How long to wait for an agent.
    package struct Deadlines: Sendable {
        /// When a request is sent once more: datagrams get lost.
        package var repetition: Duration = .seconds(1)
        /// When an agent that does not respond counts as silent.
        package var silence: Duration = .seconds(2)
        /// The time for a whole query.
        package var query: Duration = .seconds(3)

        package init() {}
    }

    /// What came of a query.
    enum Outcome: Hashable, Sendable {
        /// What the agent said, perhaps not all of it.
        case report(PrinterReport)
        /// It said nothing, for this reason.
        case silence(String)
    }

    /// Asks for all that is known of a printer. Ends within the deadlines, and soon when the task is cancelled.
    func report() async -> Outcome {
        let loop = group.next()
        let promise = loop.makePromise(of: Outcome.self)
        let query = PrinterQuery(community: community, requestID: .random(in: 1...(.max / 2)))
        let ending = QueryEnding(promise)
        let (host, port, deadlines) = (host, port, deadlines)
        let outcome = await withTaskCancellationHandler {
            // Also while the name is looked up, which cannot be cancelled.
            let deadline = loop.scheduleTask(in: .init(deadlines.query)) { ending.end() }
            promise.futureResult.whenComplete { _ in deadline.cancel() }
            NIOThreadPool.singleton.runIfActive(eventLoop: loop) {
                try SocketAddress.makeAddressResolvingHost(host, port: port)
            }.flatMap { address in
                DatagramBootstrap(group: loop)
                    .channelOption(
                        .recvAllocator,
                        value: FixedSizeRecvByteBufferAllocator(capacity: SNMPMessage.maximumLength)
                    )
                    .connect(to: address)
            }.whenComplete { result in
                switch result {
                case .failure(let error): promise.succeed(.silence("\(error)"))
                case .success(let channel):
                    do {
                        guard ending.begin(channel) else { throw CancellationError() }
                        try channel.pipeline.syncOperations.addHandler(
                            QueryHandler(query, on: channel, deadlines: deadlines, promise))
                    } catch {
                        promise.succeed(.silence("\(error)"))
                        channel.close(promise: nil)
                    }
                }
            }
            return try? await promise.futureResult.get()
        } onCancel: {
            ending.end()
        }
        return outcome ?? .silence("the query failed")
    }
}

/// Asks a handler on a channel to end its query with what it has.
private struct EndQuery: Sendable {}

/// The end of a query before its time, whether its socket is there yet or not.
private final class QueryEnding: Sendable {
    private let state = Mutex<(isOver: Bool, channel: (any Channel)?)>((false, nil))
    private let promise: EventLoopPromise<SNMPAgent.Outcome>

    init(_ promise: EventLoopPromise<SNMPAgent.Outcome>) { self.promise = promise }

    /// False where it was over before.
    func begin(_ channel: any Channel) -> Bool {
        state.withLock { state in
            state.channel = channel
            return !state.isOver
        }
    }

    func end() {
        let channel = state.withLock { state in
            state.isOver = true
            return state.channel
        }
        // A socket that is still being made is closed once it is.
        guard let channel else { return promise.succeed(.silence("its address was not found in time")) }
        channel.pipeline.fireUserInboundEventTriggered(EndQuery())
    }
}

/// Sends the requests of a query one after the other, each once more where no response comes. Lives on its event loop.
private final class QueryHandler: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    private let channel: any Channel
    private let deadlines: SNMPAgent.Deadlines
    private let promise: EventLoopPromise<SNMPAgent.Outcome>
    private var query: PrinterQuery
    private var timer: Scheduled<Void>?
    private var datagrams = 0
    private var isOver = false

    /// More datagrams than requests and their repetitions have responses are a flood.
    private static let maximumDatagrams = 4 * PrinterQuery.maximumRequests

    init(
        _ query: PrinterQuery, on channel: any Channel, deadlines: SNMPAgent.Deadlines,
        _ promise: EventLoopPromise<SNMPAgent.Outcome>
    ) {
        (self.query, self.channel, self.deadlines, self.promise) = (query, channel, deadlines, promise)
    }

    func handlerAdded(context: ChannelHandlerContext) { perform(query.start()) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        datagrams += 1
        guard datagrams <= Self.maximumDatagrams else { return end("it sent too many datagrams") }
        let octets = Array(unwrapInboundIn(data).data.readableBytesView)
        // What is no response to the request may be an earlier one's, or anything: the deadline counts on.
        guard let message = try? SNMPMessage(decoding: octets) else { return }
        perform(query.receive(message))
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is EndQuery { end("the query timed out") }
        context.fireUserInboundEventTriggered(event)
    }

    /// Nothing listens there, or no way leads there (ICMP).
    func errorCaught(context: ChannelHandlerContext, error: any Error) { end("\(error)") }

    func channelInactive(context: ChannelHandlerContext) {
        end("the socket was closed")
        context.fireChannelInactive()
    }

    private func perform(_ action: PrinterQuery.Action) {
        switch action {
        case .ignore: break
        case .finish: end("the query ended without a response")
        case .send(let message):
            let datagram = channel.allocator.buffer(bytes: message.encoded)
            send(datagram)
            schedule(in: deadlines.repetition) { [self] in
                send(datagram)
                schedule(in: deadlines.silence - deadlines.repetition) { self.end("it does not respond") }
            }
        }
    }

    private func send(_ datagram: ByteBuffer) { channel.writeAndFlush(datagram, promise: nil) }

    private func schedule(in time: Duration, _ fire: @escaping () -> Void) {
        timer?.cancel()
        timer = channel.eventLoop.assumeIsolated().scheduleTask(in: .init(time)) { fire() }
    }

    /// Ends with what the agent said; with the reason where it said nothing.
    private func end(_ reason: String) {
        guard !isOver else { return }
        isOver = true
        timer?.cancel()
        channel.close(promise: nil)
        promise.succeed(query.hasResponse ? .report(query.report) : .silence(reason))
    }
}
