import NIOCore

/// Tells a TLS record from HTTP, in what a printer sends first: its answer to a request in clear where the port is one
/// for TLS. Leaves the pipeline after the first bytes.
final class TLSAlertDetector: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    /// The printer answers in TLS.
    struct SpeaksTLS: Error {}

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = Self.unwrapInboundIn(data)
        switch bytes.getInteger(at: bytes.readerIndex, as: UInt8.self) {
        case Self.alert, Self.handshake: context.fireErrorCaught(SpeaksTLS())
        default: context.fireChannelRead(data)
        }
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }

    // The content types of RFC 8446 §5.1. HTTP begins with a letter.
    private static let alert: UInt8 = 21
    private static let handshake: UInt8 = 22
}
