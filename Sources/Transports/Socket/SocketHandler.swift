import Glibc
import KioskDevicePrinting
import NIOCore
import NIOPosix
import Synchronization

/// The end of a printer's TCP connection: sends what callers hand in, in their order, follows how much of it the other
/// host has acknowledged, and hands on what the printer says. Lives on the channel's event loop.
final class SocketHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// The bytes of one caller.
    struct Call {
        let number: Int
        let bytes: ArraySlice<UInt8>
        let sending: PendingSend
        let accepted: @Sendable (Int) -> Void
        /// How many of them were given to the channel.
        var submitted = 0
        /// How many of them are acknowledged, and were reported.
        var acknowledged = 0
        /// Whether nothing more of it is to be sent.
        var isCancelled = false

        /// Whether it is a status request that was submitted completely.
        var isWholeRequest: Bool { bytes.count <= 16 && submitted == bytes.count }

        init(
            _ number: Int, _ bytes: ArraySlice<UInt8>, _ sending: PendingSend,
            _ accepted: @escaping @Sendable (Int) -> Void
        ) {
            (self.number, self.bytes, self.sending, self.accepted) = (number, bytes, sending, accepted)
        }
    }

    private static let numbers = Atomic(0)

    /// A number that no other call has.
    static func nextNumber() -> Int { numbers.wrappingAdd(1, ordering: .relaxed).newValue }

    private let channel: any Channel
    private var calls: [Call] = []
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

    func begin(_ call: Call) {
        if let broken { return call.sending.finish(.failure(broken)) }
        guard !isClosing else { return call.sending.finish(.failure(.disconnected("the connection is being closed"))) }
        calls.append(call)
        fill()
    }

    /// Gives the channel as much as the kernel should hold, and no more: what was submitted to it may be taken.
    private func fill() {
        while unwritten < SocketPipe.sendBuffer,
            let index = calls.firstIndex(where: { $0.submitted < $0.bytes.count }), !calls[index].isCancelled
        {
            let start = calls[index].bytes.startIndex + calls[index].submitted
            let chunk = calls[index].bytes[start..<min(start + Self.chunk, calls[index].bytes.endIndex)]
            calls[index].submitted += chunk.count
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
            reportAcknowledged(now - acknowledged)
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

    /// Tells the callers of bytes that were acknowledged, and ends the calls of which all are.
    private func reportAcknowledged(_ count: Int) {
        var rest = count
        while rest > 0, let first = calls.first {
            let part = min(rest, first.submitted - first.acknowledged)
            calls[0].acknowledged += part
            rest -= part
            if part > 0 { first.accepted(part) }
            guard calls[0].acknowledged == first.bytes.count || endCancelled() else { return }
            if let first = calls.first, first.acknowledged == first.bytes.count {
                calls.removeFirst()
                first.sending.finish(.success(()))
            }
        }
    }

    /// Ends a call, and those behind it, whose data belongs behind the missing data. What the kernel holds of it gets a
    /// moment to be acknowledged; then only the end of the connection keeps that from the printer. A status request
    /// harms nothing that arrives late.
    func cancel(_ number: Int) {
        guard let index = calls.firstIndex(where: { $0.number == number }) else { return }
        if index == calls.count - 1, calls[index].isWholeRequest {
            return end([calls.remove(at: index)], .cancelled)
        }
        for index in index..<calls.count { calls[index].isCancelled = true }
        checkAcknowledged()
        guard !endCancelled() else { return }
        channel.eventLoop.assumeIsolated().scheduleTask(in: Self.cancelTime) {
            if self.calls.contains(where: { $0.number == number }) {
                self.reset(.disconnected("the connection was reset"))
            }
        }
    }

    /// Ends the cancelled calls once all that was submitted of them is acknowledged; false where there is none to end.
    private func endCancelled() -> Bool {
        guard let index = calls.firstIndex(where: \.isCancelled),
            calls[index...].allSatisfy({ $0.submitted == $0.acknowledged })
        else { return false }
        let ended = Array(calls[index...])
        calls.removeSubrange(index...)
        end(ended, .cancelled)
        return true
    }

    /// A delayed acknowledgement takes 40 ms (Linux's TCP_DELACK_MIN).
    private static let cancelTime = TimeAmount.milliseconds(80)

    private func end(_ calls: [Call], _ error: DevicePipeError) {
        for call in calls {
            var error = call.isCancelled ? .cancelled : error
            error.accepted = call.submitted
            call.sending.finish(.failure(error))
        }
    }

    /// Ends everything.
    private func fail(_ error: DevicePipeError) {
        guard broken == nil else { return }
        broken = error
        check?.cancel()
        let ended = calls
        calls = []
        end(ended, error)
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
