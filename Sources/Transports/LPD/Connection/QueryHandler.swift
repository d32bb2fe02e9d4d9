import NIOCore

/// Sends one command, and collects what the daemon says until it closes the connection. Lives on its event loop.
final class QueryHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// What a daemon said.
    struct Answer: Hashable, Sendable {
        var octets: [UInt8]
        /// Whether it said more than is read.
        var isCut: Bool
    }

    private let channel: any Channel
    private let command: LPDCommand
    private let deadline: Duration
    private let promise: EventLoopPromise<Answer>
    private var timer: IdleTimer
    private var octets: [UInt8] = []
    private var isOver = false

    /// `deadline`: for the whole answer, so that a daemon that drips octets cannot hold us.
    init(
        _ command: LPDCommand, on channel: any Channel, within deadline: Duration, _ promise: EventLoopPromise<Answer>
    ) {
        (self.command, self.channel, self.deadline, self.promise) = (command, channel, deadline, promise)
        timer = IdleTimer(channel.eventLoop)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        guard channel.isActive else { return end(.failure(LPDFailure(.lost("the connection was closed", errno: nil)))) }
        timer.start(deadline) { self.end(.failure(LPDFailure(.timedOut(self.deadline)))) }
        channel.writeAndFlush(channel.allocator.buffer(bytes: command.bytes), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        octets += unwrapInboundIn(data).readableBytesView
        if octets.count > LPDListing.maximumLength {
            end(.success(Answer(octets: Array(octets.prefix(LPDListing.maximumLength)), isCut: true)))
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed {
            end(.success(Answer(octets: octets, isCut: false)))
        } else if event is GiveUp {
            end(.failure(LPDFailure(.cancelled)))
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { end(.failure(LPDFailure(error))) }

    func channelInactive(context: ChannelHandlerContext) {
        end(.success(Answer(octets: octets, isCut: false)))
        context.fireChannelInactive()
    }

    private func end(_ result: Result<Answer, LPDFailure>) {
        guard !isOver else { return }
        isOver = true
        timer.stop()
        channel.close(promise: nil)
        switch result {
        case .success(let answer): promise.succeed(answer)
        case .failure(let failure): promise.fail(failure)
        }
    }
}
