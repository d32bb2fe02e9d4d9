import DevicePrinting
import Logging
import NIOCore
import NIOPosix
import PrintModel
import Synchronization

/// Carries HTTP between an IPP client's socket and one interface of IPP over USB, both ways at once and no faster than
/// the other side takes it.
///
/// The interface is a stream without connections, on which one exchange follows the other: where the client leaves in
/// the middle of one, what is left of it is still in the device.
struct InterfaceBridge {
    let pipe: any DevicePipe
    /// What the client knows of its exchange.
    let exchange: ExchangeMark
    let logger: Logger

    /// What the interface is good for afterwards.
    enum End: Hashable, Sendable {
        /// Another client.
        case between
        /// Another client, when it was rid of the rest of an exchange.
        case midway
        case broken(DevicePipeError)
    }

    private typealias Channel = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    /// Runs until the client closes, or the device can do no more; then the socket is closed.
    func run(_ socket: Int32, on group: any EventLoopGroup) async -> End {
        // From now on the device's words are kept; what it said before belongs to nobody any more.
        let answers = pipe.answers()
        let course = Course()
        do {
            let channel = try await Self.channel(socket, group)
            let (left, leave) = AsyncStream.makeStream(of: Void.self)
            channel.channel.closeFuture.whenComplete { _ in leave.finish() }
            try await channel.executeThenClose { inbound, outbound in
                await withTaskGroup { tasks in
                    tasks.addTask { await sendAll(inbound, course) }
                    tasks.addTask { await receiveAll(answers, outbound, course) }
                    // A client that leaves is noticed even while the device takes nothing.
                    tasks.addTask { for await _ in left {} }
                    await tasks.next()
                    tasks.cancelAll()
                }
            }
        } catch {
            logger.debug("the socket to an IPP client broke: \(error)")
        }
        if let failure = course.failure { return .broken(failure) }
        return exchange.isUnderWay ? .midway : .between
    }

    private static func channel(_ socket: Int32, _ group: any EventLoopGroup) async throws -> Channel {
        try await ClientBootstrap(group: group).withConnectedSocket(socket) { channel in
            channel.eventLoop.makeCompletedFuture { try NIOAsyncChannel(wrappingChannelSynchronously: channel) }
        }
    }

    private func sendAll(_ inbound: NIOAsyncChannelInboundStream<ByteBuffer>, _ course: Course) async {
        var chunks = inbound.makeAsyncIterator()
        while let chunk = try? await chunks.next() {
            course.asked()
            do throws(DevicePipeError) {
                // Where a request ends is for the client to know.
                try await pipe.send(Array(chunk.readableBytesView)[...], isLast: false) { _ in }
            } catch {
                return course.failed(error)
            }
        }
    }

    private func receiveAll(
        _ answers: AsyncStream<[UInt8]>, _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>, _ course: Course
    ) async {
        // What comes before a question is the rest of an answer to another.
        for await piece in answers where course.hasAsked {
            guard (try? await outbound.write(ByteBuffer(bytes: piece))) != nil else { return }
        }
        if !Task.isCancelled { course.failed(.ended) }
    }
}

/// What happened so far.
private final class Course: Sendable {
    private struct State {
        var hasAsked = false
        var failure: DevicePipeError?
    }

    private let state = Mutex(State())

    var hasAsked: Bool { state.withLock(\.hasAsked) }
    var failure: DevicePipeError? { state.withLock(\.failure) }

    func asked() { state.withLock { $0.hasAsked = true } }

    /// Of several failures the first is the cause.
    func failed(_ error: DevicePipeError) {
        guard error.kind != .cancelled else { return }
        state.withLock { $0.failure = $0.failure ?? error }
    }
}

extension DevicePipeError {
    fileprivate static let ended = DevicePipeError(.gone, operation: "bulk IN", reason: "the device says no more")
}
