import NIOCore

/// Puts an agent's answers together.
final class AgentHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// OpenSSH's own limit (AGENT_MAX_LEN).
    private static let longest: UInt32 = 256 << 10

    private var received = ByteBuffer()
    private var promise: EventLoopPromise<[UInt8]>?

    /// The next answer goes there.
    func expect(_ promise: EventLoopPromise<[UInt8]>) {
        self.promise?.fail(ChannelError.eof)
        self.promise = promise
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var octets = unwrapInboundIn(data)
        received.writeBuffer(&octets)
        guard let length = received.getInteger(at: received.readerIndex, as: UInt32.self) else { return }
        guard length > 0, length <= Self.longest, promise != nil else { return context.close(promise: nil) }
        guard received.readableBytes >= 4 + Int(length) else { return }
        received.moveReaderIndex(forwardBy: 4)
        let answer = received.readBytes(length: Int(length)) ?? []
        received.clear()
        let promise = promise
        self.promise = nil
        promise?.succeed(answer)
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
