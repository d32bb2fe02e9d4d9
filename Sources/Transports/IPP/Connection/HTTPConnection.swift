import NIOCore
import PrintModel
import Synchronization
import TLS

/// An open connection to a printer, for one exchange at a time.
final class HTTPConnection: Sendable {
    private let channel: any Channel
    private let handler: NIOLoopBound<HTTPExchangeHandler>
    private let usability: Usability
    let isSecure: Bool
    /// The printer's own, where the connection is one of TLS.
    var certificate: Certificate? { handshake?.certificate }
    private let handshake: TLSHandshake?
    /// Whether nobody on the way can read what it carries, or be the other end of it.
    let isPrivate: Bool

    /// Whether it may serve another exchange.
    final class Usability: Sendable {
        private let isSpent = Atomic(false)
        var isUsable: Bool { !isSpent.load(ordering: .acquiring) }
        func spend() { isSpent.store(true, ordering: .releasing) }
    }

    /// On the channel's event loop.
    init(_ channel: any Channel, handshake: TLSHandshake?, isPrivate: Bool) throws {
        let handler = try channel.pipeline.syncOperations.handler(type: HTTPExchangeHandler.self)
        self.channel = channel
        isSecure = handshake != nil
        self.handshake = handshake
        self.isPrivate = isPrivate
        self.handler = NIOLoopBound(handler, eventLoop: channel.eventLoop)
        usability = handler.usability
    }

    /// False once it is closed or about to be; true is a hint only.
    var isUsable: Bool { usability.isUsable }

    /// Sends a request and waits for the end of its response. Cancelling the task closes the connection.
    func exchange(_ request: HTTPRequest) async -> Result<HTTPAnswer, HTTPFailure> {
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
