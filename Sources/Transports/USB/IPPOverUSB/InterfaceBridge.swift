import KioskDevicePrinting
import KioskPrintModel
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// Transfers HTTP between an IPP client's socket and one IPP over USB interface, in both directions at once, with back
/// pressure.
///
/// The interface is a stream without connections, on which one exchange follows the other: where the client leaves
/// during an exchange, the rest of it is still in the device.
struct InterfaceBridge {
    let pipe: any DevicePipe
    /// Set by the client while an exchange is under way.
    let exchange: ExchangeMark
    var trace = DeviceTrace()
    let logger: Logger

    /// How the connection ended, which determines how the interface can be used afterwards.
    enum End: Hashable, Sendable {
        /// The interface is ready for another client.
        case betweenExchanges
        /// The interface is ready once the rest of the exchange is discarded.
        case duringExchange
        case failed(DevicePipeError)

        /// How it ended, for a trace.
        var summary: String {
            switch self {
            case .betweenExchanges: "between two HTTP exchanges"
            case .duringExchange: "during an HTTP exchange"
            case .failed(let error): "with \(error.summary)"
            }
        }
    }

    private typealias Channel = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    /// Runs until the client closes, or the device fails; then closes the socket.
    func run(_ socket: Int32, on group: any EventLoopGroup) async -> End {
        // From now on the device's data is kept; earlier data belongs to no client.
        let responses = pipe.responses()
        let progress = Progress()
        do {
            let channel = try await Self.channel(socket, group)
            let (left, leave) = AsyncStream.makeStream(of: Void.self)
            channel.channel.closeFuture.whenComplete { _ in leave.finish() }
            try await channel.executeThenClose { inbound, outbound in
                await withTaskGroup { tasks in
                    tasks.addTask { await sendAll(inbound, progress) }
                    tasks.addTask { await receiveAll(responses, outbound, progress) }
                    // Notices a client that leaves even while the device takes nothing.
                    tasks.addTask { for await _ in left {} }
                    await tasks.next()
                    tasks.cancelAll()
                }
            }
        } catch {
            logger.debug("the socket to an IPP client broke: \(error)")
        }
        if let failure = progress.failure { return .failed(failure) }
        return exchange.isUnderWay ? .duringExchange : .betweenExchanges
    }

    private static func channel(_ socket: Int32, _ group: any EventLoopGroup) async throws -> Channel {
        try await ClientBootstrap(group: group).withConnectedSocket(socket) { channel in
            channel.eventLoop.makeCompletedFuture { try NIOAsyncChannel(wrappingChannelSynchronously: channel) }
        }
    }

    private func sendAll(_ inbound: NIOAsyncChannelInboundStream<ByteBuffer>, _ progress: Progress) async {
        var chunks = inbound.makeAsyncIterator()
        while let chunk = try? await chunks.next() {
            progress.requestStarted()
            trace.tell("→ \(chunk.readableBytes) bytes of HTTP")
            do throws(DevicePipeError) {
                // Only the client knows where a request ends.
                try await pipe.send(Array(chunk.readableBytesView)[...], isLast: false) { _ in }
            } catch {
                return progress.failed(error)
            }
        }
    }

    private func receiveAll(
        _ responses: AsyncStream<[UInt8]>, _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>,
        _ progress: Progress
    ) async {
        // Data before the first request is the rest of an earlier response.
        for await chunk in responses where progress.hasRequested {
            trace.tell("← \(chunk.count) bytes of HTTP")
            guard (try? await outbound.write(ByteBuffer(bytes: chunk))) != nil else { return }
        }
        if !Task.isCancelled { progress.failed(.ended) }
    }
}

/// The state of a connection, which both directions share.
private final class Progress: Sendable {
    private struct State {
        var hasRequested = false
        var failure: DevicePipeError?
    }

    private let state = Mutex(State())

    var hasRequested: Bool { state.withLock(\.hasRequested) }
    var failure: DevicePipeError? { state.withLock(\.failure) }

    func requestStarted() { state.withLock { $0.hasRequested = true } }

    /// Keeps the first of several failures, which is the cause.
    func failed(_ error: DevicePipeError) {
        guard error.kind != .cancelled else { return }
        state.withLock { $0.failure = $0.failure ?? error }
    }
}

extension DevicePipeError {
    fileprivate static let ended = DevicePipeError(
        .disconnected, operation: "bulk IN", reason: "the device sends no more")
}
