import NIOCore
import PrintModel
import Synchronization
import TLS

/// An open connection to a printer, for one exchange at a time.
final class HTTPConnection: Sendable {
    private let channel: any Channel
    private let handler: NIOLoopBound<HTTPExchangeHandler>
    private let usability: Usability
    private let handshake: TLSHandshake?
    /// Whether nobody else can read what it carries, or be the other end of it.
    let isPrivate: Bool

    /// Whether a connection may serve another exchange: shared by the connection and its handler.
    final class Usability: Sendable {
        private let isSpent = Atomic(false)
        var isUsable: Bool { !isSpent.load(ordering: .acquiring) }
        func spend() { isSpent.store(true, ordering: .releasing) }
    }

    /// Takes over a channel that ends in an `HTTPExchangeHandler`. Called on the channel's event loop.
    init(_ channel: any Channel, handshake: TLSHandshake?, isPrivate: Bool) throws {
        let handler = try channel.pipeline.syncOperations.handler(type: HTTPExchangeHandler.self)
        self.channel = channel
        self.handshake = handshake
        self.isPrivate = isPrivate
        self.handler = NIOLoopBound(handler, eventLoop: channel.eventLoop)
        usability = handler.usability
    }

    /// Whether it uses TLS.
    var isSecure: Bool { handshake != nil }

    /// The printer's certificate; nil without TLS.
    var certificate: Certificate? { handshake?.certificate }

    /// Whether it may serve another exchange. False is certain; true is a hint only.
    var isUsable: Bool { usability.isUsable }

    /// Sends a request and waits for the end of its response. Cancelling the task closes the connection.
    func exchange(_ request: HTTPRequest) async -> Result<HTTPResponse, HTTPFailure> {
        let call = HTTPCall()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                onEventLoop { handler in
                    handler.begin(call, request) { continuation.resume(returning: $0) }
                }
            }
        } onCancel: {
            call.cancel()
            onEventLoop { $0.cancel(call) }
        }
    }

    func close() {
        usability.spend()
        onEventLoop { $0.shutDown() }
    }

    private func onEventLoop(_ work: @escaping @Sendable (HTTPExchangeHandler) -> Void) {
        if channel.eventLoop.inEventLoop {
            work(handler.value)
        } else {
            channel.eventLoop.execute { [handler] in work(handler.value) }
        }
    }
}

/// The identity of one call of `HTTPConnection.exchange`, by which its cancellation finds it even before it began.
final class HTTPCall: Sendable {
    private let cancelled = Atomic(false)

    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }
    func cancel() { cancelled.store(true, ordering: .releasing) }
}

/// How long a connection may lie idle and still be used: shared by the connections to one printer.
///
/// Writing at the moment when the printer closes the connection costs certainty about what it took, and a connection to
/// a printer that was switched off and on in between costs a reset in the middle of a receipt. A new connection costs
/// one round trip in the local network. So idle connections are closed early: well before any printer can reboot, and
/// before the printer's own timeout, as far as it announces or shows that.
final class IdleTimeout: Sendable {
    private static let margin = TimeAmount.seconds(1)

    private let timeout: Mutex<TimeAmount>

    init(_ timeout: TimeAmount) {
        self.timeout = Mutex(timeout)
    }

    var amount: TimeAmount { timeout.withLock { $0 } }

    /// Notes the timeout that the printer announced (`Keep-Alive: timeout=`).
    func announced(seconds: Int) {
        shorten(to: .seconds(Int64(max(0, min(seconds, 3600)))) - Self.margin)
    }

    /// Notes that the printer closed a connection that had been idle for so long.
    func printerClosed(after idle: TimeAmount) {
        shorten(to: .nanoseconds(idle.nanoseconds / 2))
    }

    private func shorten(to amount: TimeAmount) {
        timeout.withLock { $0 = min($0, max(amount, .zero)) }
    }
}
