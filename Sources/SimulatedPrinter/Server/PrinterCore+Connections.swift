import NIOCore
import NIOHTTP1
import PrintModel
import TLS

// What a new connection passes through.
extension PrinterCore {
    /// More than any client needs; whoever takes all of them leaves none to others, but no memory either.
    private static let connectionLimit = 256
    /// Without a byte in either direction.
    private static let idleLimit = TimeAmount.minutes(5)

    func take(_ channel: any Channel) throws {
        guard connections.count < Self.connectionLimit else { return channel.close(promise: nil) }
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(IdleStateHandler(allTimeout: Self.idleLimit))
        switch tls {
        case let tls? where tls.options.byUpgrade: try serveUntilUpgrade(pipeline)
        case _?: try serveTLS(pipeline)
        case nil: try serve(pipeline)
        }
    }

    func serveTLS(_ pipeline: ChannelPipeline.SynchronousOperations) throws {
        if let tls { try pipeline.addHandler(tls.makeHandler()) }
        try serve(pipeline)
    }

    private func serve(_ pipeline: ChannelPipeline.SynchronousOperations) throws {
        try pipeline.configureHTTPServerPipeline(withErrorHandling: true)
        try pipeline.addHandler(PrinterConnection(core: self))
    }

    private func serveUntilUpgrade(_ pipeline: ChannelPipeline.SynchronousOperations) throws {
        try pipeline.configureHTTPServerPipeline(
            withServerUpgrade: (PlainConnection.upgraders(self), { _ in }), withErrorHandling: true)
        try pipeline.addHandler(PlainConnection(core: self))
    }

    /// Reads no more for as long as these bytes of a document take; the client's bytes stay in the kernel meanwhile.
    func slowDown(_ channel: any Channel, after bytes: Int) {
        guard trickle > .zero, channel.isActive else { return }
        let time = trickle * (Double(bytes) / 1024)
        try? channel.syncOptions?.setOption(.autoRead, value: false)
        channel.eventLoop.scheduleTask(in: .milliseconds(max(1, time.milliseconds))) {
            channel.setOption(.autoRead, value: true).whenSuccess { channel.read() }
        }
    }
}
