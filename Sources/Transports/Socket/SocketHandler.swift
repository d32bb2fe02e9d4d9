import Glibc
import KioskDevicePrinting
import NIOCore
import NIOPosix

/// The end of a printer's TCP connection: sends what callers hand in, in their order, follows how much of it the other
/// host has acknowledged, and hands on what the printer says. Lives on the channel's event loop.
final class SocketHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let channel: any Channel
    private var queue = SendQueue()
    /// Bytes that the channel has not written to the kernel yet.
    private var unwritten = 0
    /// All bytes that were written to the kernel, and those of them that the other host has acknowledged.
    private var (written, acknowledged) = (0, 0)
    private var output: AsyncStream<[UInt8]>.Continuation?
    /// Why nothing is sent any more.
    private(set) var broken: DevicePipeError?
    private var check: Scheduled<Void>?
    private var checkInterval = shortestCheck
    private var unanswered = UnansweredProbes()
    private var isClosing = false

    /// Completes when the socket is closed.
    var closed: EventLoopFuture<Void> { channel.closeFuture }

    private static let chunk = 4096
    private static let shortestCheck = TimeAmount.milliseconds(1)
    private static let longestCheck = TimeAmount.milliseconds(32)

    init(_ channel: any Channel) { self.channel = channel }

    // MARK: Sending

    func begin(_ call: SendQueue.Call) {
        if let broken { return call.refuse(broken) }
        guard !isClosing else { return call.refuse(.disconnected("the connection is being closed")) }
        queue.append(call)
        fill()
    }

    /// Gives the channel as much as the kernel should hold, and no more: what was submitted to it may be taken.
    private func fill() {
        while unwritten < SocketPipe.sendBuffer {
            let chunk = queue.next(maximum: Self.chunk)
            guard !chunk.isEmpty else { return }
            queue.wrote(chunk.count)
            unwritten += chunk.count
            channel.writeAndFlush(channel.allocator.buffer(bytes: chunk)).assumeIsolated().whenComplete { result in
                self.unwritten -= chunk.count
                switch result {
                case .success:
                    self.written += chunk.count
                    self.checkAcknowledged()
                    self.fill()
                case .failure(let error): self.fail(Self.failure(error))
                }
            }
        }
    }

    /// Reads how much is acknowledged, and again soon where something is not.
    private func checkAcknowledged() {
        guard broken == nil else { return }
        let state = channel.tcpState
        let now = state.map { max(acknowledged, written - $0.queued) } ?? acknowledged
        if now > acknowledged {
            checkInterval = Self.shortestCheck
            queue.accepted(now - acknowledged)
            acknowledged = now
        }
        check?.cancel()
        check = nil
        guard acknowledged < written || unwritten > 0 else { return unanswered.forget() }
        if let counters = state?.counters, unanswered.areTooMany(counters, at: .now()) {
            return reset(
                .disconnected("it does not answer on the network any more", code: ETIMEDOUT, operation: "getsockopt"))
        }
        check = channel.eventLoop.assumeIsolated().scheduleTask(in: checkInterval) { self.checkAcknowledged() }
        checkInterval = min(checkInterval * 2, Self.longestCheck)
    }

    /// Ends a call, and those behind it, whose data belongs behind the missing data. What the kernel holds of it gets a
    /// moment to be acknowledged; then only the end of the connection keeps that from the printer. A status request
    /// harms nothing that arrives late.
    func cancel(_ number: Int) {
        queue.cancel(number)
        checkAcknowledged()
        guard queue.contains(number) else { return }
        channel.eventLoop.assumeIsolated().scheduleTask(in: Self.cancelTime) {
            if self.queue.contains(number) { self.reset(.disconnected("the connection was reset")) }
        }
    }

    /// A delayed acknowledgement takes 40 ms (Linux's TCP_DELACK_MIN).
    private static let cancelTime = TimeAmount.milliseconds(80)

    /// Ends everything.
    private func fail(_ error: DevicePipeError) {
        guard broken == nil else { return }
        broken = error
        check?.cancel()
        queue.end(error)
        output?.finish()
        output = nil
        channel.close(promise: nil)
    }

    // MARK: Receiving

    /// Hands on what the printer says from now on.
    func deliverResponses(to output: AsyncStream<[UInt8]>.Continuation) {
        self.output?.finish()
        guard broken == nil else { return output.finish() }
        self.output = output
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        // Its response acknowledges what it responds to.
        if acknowledged < written { checkAcknowledged() }
        output?.yield(Array(buffer.readableBytesView))
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed {
            if isClosing {
                context.close(promise: nil)
            } else {
                fail(.disconnected("the printer closed the connection", operation: "recv"))
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { fail(Self.failure(error)) }

    func channelInactive(context: ChannelHandlerContext) {
        fail(.disconnected("the connection is closed", operation: "recv"))
        context.fireChannelInactive()
    }

    private static func failure(_ error: any Error) -> DevicePipeError {
        guard let error = error as? IOError else { return .disconnected("the connection broke: \(error)") }
        let reason = strerror(error.errnoCode).map { String(cString: $0) } ?? "errno \(error.errnoCode)"
        return .disconnected("the connection broke: \(reason)", code: error.errnoCode)
    }

    // MARK: Ending

    /// Closes our end; `timeout` is how long the printer gets to close its own.
    func close(timeout: TimeAmount) -> EventLoopFuture<Void> {
        guard channel.isActive, !isClosing else { return closed }
        isClosing = true
        channel.close(mode: .output, promise: nil)
        // All that was sent is acknowledged, and all that it said is read: what it holds unread stays with it (FIN).
        channel.eventLoop.assumeIsolated().scheduleTask(in: timeout) { self.channel.close(promise: nil) }
        return closed
    }

    func reset(_ error: DevicePipeError) {
        guard channel.isActive else { return }
        if let provider = channel as? any SocketOptionProvider {
            // Complete at once, since this is the channel's event loop; a socket that refuses it is closed anyway.
            _ = provider.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        }
        fail(error)
        channel.close(promise: nil)
    }
}

/// Whether the other host is gone: the kernel's probes of a full window, or its retransmissions, stay unanswered.
struct UnansweredProbes {
    private var since: NIODeadline?
    private var count: UInt8 = 0

    /// A single one may have been lost; more of them, for this long, were not.
    private static let maximumCount = 3
    private static let maximumTime = TimeAmount.seconds(15)

    mutating func forget() { (since, count) = (nil, 0) }

    /// Notes what the kernel says now.
    mutating func areTooMany(_ info: TCPCounters, at now: NIODeadline) -> Bool {
        let current = max(info.probes, info.retransmits)
        // Fewer than before: one of them was answered meanwhile.
        guard current > 0, current >= count else {
            forget()
            return false
        }
        count = current
        let start = since ?? now
        since = start
        return current >= Self.maximumCount && now - start >= Self.maximumTime
    }
}

/// The beginning of Linux's `struct tcp_info` (linux/tcp.h): `tcpi_state`, `tcpi_ca_state`, `tcpi_retransmits`,
/// `tcpi_probes` and four more.
struct TCPCounters {
    private var octets: InlineArray<8, UInt8>

    init(retransmits: UInt8 = 0, probes: UInt8 = 0) { octets = [1, 0, retransmits, probes, 0, 0, 0, 0] }

    var retransmits: UInt8 { octets[2] }
    var probes: UInt8 { octets[3] }
}

extension Channel {
    /// How many bytes the kernel holds that the other host has not acknowledged (`SIOCOUTQ`), and its counters. On the
    /// channel's event loop; nil where the socket is closed.
    fileprivate var tcpState: (queued: Int, counters: TCPCounters?)? {
        eventLoop.assertInEventLoop()
        guard isActive, let provider = self as? any SocketOptionProvider else { return nil }
        var counters: TCPCounters?
        let future: EventLoopFuture<TCPCounters> = provider.unsafeGetSocketOption(level: .tcp, name: .tcp_info)
        future.assumeIsolated().whenSuccess { counters = $0 }
        let queued = try? pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
            socket -> Int? in
            var count: CInt = 0
            return ioctl(socket, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : nil
        }
        return (queued ?? nil).map { ($0, counters) }
    }
}
