import NIOCore
import NIOPosix
import Synchronization

/// A TCP relay on loopback in front of a printer of PWG raster that lets so many whole pages of a document through, and
/// then nothing more of it until it is opened. Other requests pass at all times.
final class PageGate: Sendable {
    private let state = Mutex(State())
    private let listener: any Channel

    fileprivate struct State {
        /// How many pages may pass; nil: all.
        var limit: Int?
        var pages = 0
        var held: Held?
        /// The connection that was held last.
        var last: (any Channel)?
    }

    /// Bytes before the gate, and where they are to go.
    fileprivate struct Held {
        var bytes: [UInt8]
        let source: any Channel
        let target: any Channel
    }

    /// Relays from a free port to `port`.
    init(to port: Int) async throws {
        let gate = Box()
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            // Few bytes stand before it.
            .childChannelOption(.socketOption(.so_rcvbuf), value: 65_536)
            .childChannelInitializer { client in
                ClientBootstrap(group: client.eventLoop)
                    .channelInitializer { server in
                        server.eventLoop.makeCompletedFuture {
                            try server.pipeline.syncOperations.addHandler(Handler(other: client, gate: nil))
                        }
                    }
                    .connect(host: "localhost", port: port)
                    .flatMapThrowing { server in
                        try client.pipeline.syncOperations.addHandler(Handler(other: server, gate: gate.value))
                    }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        gate.value = self
    }

    var uri: String { "ipp://localhost:\(listener.localAddress?.port ?? 0)/ipp/print" }

    /// Closes it behind so many pages of the next document, once the connection of the last one is gone.
    func close(behind pages: Int) async throws {
        try await state.withLock(\.last)?.closeFuture.get()
        state.withLock {
            $0.limit = pages
            $0.pages = 0
        }
    }

    /// Whether a document stands before the closed gate.
    var isHolding: Bool { state.withLock { $0.held != nil } }

    /// Lets everything through that waits, and whatever comes.
    func open() {
        let source = state.withLock { state in
            state.limit = nil
            return state.held?.source
        }
        source?.eventLoop.execute { [self] in
            guard let held = state.withLock({ exchange(&$0.held, with: nil) }) else { return }
            held.target.writeAndFlush(ByteBuffer(bytes: held.bytes), promise: nil)
            held.source.setOption(.autoRead, value: true).whenComplete { _ in }
        }
    }

    func stop() async throws { try await listener.close() }

    private final class Box: Sendable {
        private let gate = Mutex<PageGate?>(nil)
        var value: PageGate? {
            get { gate.withLock { $0 } }
            set { gate.withLock { $0 = newValue } }
        }
    }
}

extension PageGate {
    /// Writes what its side reads to the other side, and closes the other side when its side ends. With a gate, it
    /// counts the headers of pages, and stops where one is too many.
    fileprivate final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let other: any Channel
        private let gate: PageGate?
        /// What may be the beginning of a header (PWG 5102.4 §4.3: `PwgRaster` and a zero octet).
        private var rest: [UInt8] = []
        private static let header = Array("PwgRaster\0".utf8)

        init(other: any Channel, gate: PageGate?) {
            self.other = other
            self.gate = gate
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let buffer = unwrapInboundIn(data)
            guard let gate else { return other.writeAndFlush(buffer, promise: nil) }
            let isHeld = gate.state.withLock { state in
                guard state.held?.source === context.channel else { return false }
                state.held?.bytes += Array(buffer.readableBytesView)
                return true
            }
            if isHeld { return }
            var bytes = rest + buffer.readableBytesView
            rest = []
            var position = 0
            while let found = Self.find(in: bytes, from: position) {
                let isTooMany = gate.state.withLock { state in
                    guard let limit = state.limit else { return false }
                    state.pages += 1
                    return state.pages > limit
                }
                if isTooMany {
                    let held = Held(bytes: Array(bytes[found...]), source: context.channel, target: other)
                    context.channel.setOption(.autoRead, value: false).whenComplete { _ in }
                    other.writeAndFlush(ByteBuffer(bytes: bytes[..<found]), promise: nil)
                    return gate.state.withLock { ($0.held, $0.last) = (held, context.channel) }
                }
                position = found + Self.header.count
            }
            // Kept back only where it may be a part of a header: no request waits for it.
            let length = (1..<Self.header.count).last { count in
                count <= bytes.count - position && bytes.suffix(count).elementsEqual(Self.header.prefix(count))
            }
            if let length {
                rest = Array(bytes.suffix(length))
                bytes.removeLast(length)
            }
            other.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
        }

        private static func find(in bytes: [UInt8], from start: Int) -> Int? {
            guard bytes.count - start >= header.count else { return nil }
            return (start...bytes.count - header.count).first { place in
                bytes[place] == header[0] && bytes[place..<place + header.count].elementsEqual(header)
            }
        }

        func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
