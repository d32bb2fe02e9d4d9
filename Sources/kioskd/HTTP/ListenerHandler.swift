import Glibc
import NIOCore

/// Keeps the listening socket open when a connection cannot be accepted, and pauses instead of trying over and over. It
/// is the first handler in the socket's pipeline.
final class ListenerHandler: ChannelInboundHandler {
    typealias InboundIn = Channel
    typealias InboundOut = Channel

    private let descriptors: DescriptorLimit

    init(descriptors: DescriptorLimit) { self.descriptors = descriptors }

    private static let pause: TimeAmount = .milliseconds(100)

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch (error as? IOError)?.errnoCode {
        case ECONNABORTED: return
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: break
        default: return context.fireErrorCaught(error)
        }
        descriptors.logRefusal("connections cannot be accepted (\(error))")
        // The event loop would report the waiting connection again at once.
        let channel = context.channel
        channel.setOption(.autoRead, value: false).whenComplete { _ in
            channel.eventLoop.scheduleTask(in: Self.pause) { channel.setOption(.autoRead, value: true) }
        }
    }
}
