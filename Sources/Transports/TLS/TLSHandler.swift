package import NIOCore

/// TLS in a channel's pipeline, client or server. Below it is ciphertext, above it plaintext.
///
/// - A write's promise succeeds when the socket took all of its ciphertext. Writes before the handshake's end wait; at
///   most `longestWait` octets of them, since no back-pressure reaches the writer until then: await `handshake(on:)`
///   before writing more.
/// - `TLSHandshake` is fired as a user inbound event when it is done, `TLSPeerClosed` at the other side's close_notify.
///   The end of the stream is forwarded as `ChannelEvent.inputClosed` after a close_notify; without one
///   `TLSError` `.truncated` is fired in its place, and the channel closed.
/// - Every failure is fired as a `TLSError`, then the channel is closed. Nothing of ours has gone out when it is
///   about trust.
/// - Closing sends our close_notify and does not wait for the other's.
///
/// Not Sendable: every member is used on the channel's event loop.
package final class TLSHandler: ChannelDuplexHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer
    package typealias OutboundIn = IOData
    package typealias OutboundOut = ByteBuffer

    /// A client. `host`: the name or address (without brackets) that was connected to, for SNI and the certificate's check.
    package init(
        client context: TLSContext, host: String, sessions: TLSSessionCache? = nil,
        handshakeTimeout: TimeAmount = .seconds(10)
    ) throws(TLSError) {}

    package init(server context: TLSContext, handshakeTimeout: TimeAmount = .seconds(10)) throws(TLSError) {}

    /// The end of the handshake, or why there is none (`TLSError`). On the channel's event loop, once it is in the pipeline.
    package func handshake(on eventLoop: any EventLoop) -> EventLoopFuture<TLSHandshake> {
        eventLoop.makeFailedFuture(TLSError(.handshakeFailed, reason: "there is no TLS yet"))
    }
}
