import NIOCore
import NIOPosix

/// A simulated receipt, label or office printer behind a raw TCP port (9100), for tests and for trying things out. It
/// serves one client at a time, as most printers do: those that come meanwhile are connected, what they send is taken
/// into the system's buffers, and nothing of it is read before the first one has gone.
package final class SimulatedRawPrinter: Sendable {
    package struct Options: Hashable, Sendable {
        package var host = "127.0.0.1"
        /// 0 for any that is free.
        package var port = 0
        package var language = RawPrinterLanguage.escPOS
        package var names = RawPrinterNames()
        /// Whether it answers `GS ( H`, has an odometer (ZPL), or knows `USTATUS JOB` (PJL).
        package var confirmsByID = true
        /// How long a label printer takes for a label, and an office printer for a page.
        package var timePerPage = Duration.milliseconds(100)
        /// How often a label printer must be asked for its status (`~HS`) before it prints what it holds: its host is
        /// then sure to have seen it at work, however busy the machine is.
        package var statusRequestsPerLabel = 0
        /// The bytes that it holds while it does not print.
        package var capacity = 4096
        /// Where a Star printer responds with its status whoever prints on it (9101 at real ones); nil for nowhere, 0
        /// for any port that is free.
        package var statusPort: Int?
        /// How long a client may send nothing before its connection is closed; nil for ever.
        package var idleTimeout: Duration?

        package init() {}
    }

    /// What it tells of a client.
    package enum Event: Hashable, Sendable {
        case connected
        /// The client has gone, and this came out of what it sent.
        case disconnected(printed: [UInt8])
    }

    /// Something that happens to the printer while it runs.
    package enum Command: Hashable, Sendable {
        case set(RawPrinterCondition, Bool)
        /// The connection breaks; the next one is accepted.
        case dropConnection
        /// It closes the connection, as one that has stood idle; the next one is accepted.
        case closeConnection
        /// It loses its power, with all that it holds, and its network; and is switched on again.
        case powerOff, powerOn
        /// It loses its power once it has taken this many bytes more.
        case losePowerAfter(bytes: Int)
        /// It reads nothing, so that the window of the connection closes; and reads again.
        case stall(Bool)
        /// It answers nothing any more, or does again.
        case mute(Bool)
        /// A label or office printer begins no label or page any more, without a word about it, or does again: what
        /// happens then happens before it has printed, however busy the machine is.
        case hold(Bool)
    }

    package let port: Int
    /// Where it responds with its status.
    package let statusPort: Int?
    private let loop: any EventLoop
    private let server: NIOLoopBound<RawPrinterServer>

    private init(_ server: NIOLoopBound<RawPrinterServer>, on loop: any EventLoop, port: Int, statusPort: Int?) {
        (self.server, self.loop, self.port, self.statusPort) = (server, loop, port, statusPort)
    }

    package static func start(
        _ options: Options = Options(), report: @escaping @Sendable (Event) -> Void = { _ in }
    ) async throws -> SimulatedRawPrinter {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        return try await loop.flatSubmit {
            let server = NIOLoopBound(RawPrinterServer(options, loop, report), eventLoop: loop)
            return server.value.listen(port: options.port).flatMap { port in
                server.value.listenForStatusRequests().map { statusPort in
                    SimulatedRawPrinter(server, on: loop, port: port, statusPort: statusPort)
                }
            }
        }.get()
    }

    package var uri: String { "socket://127.0.0.1:\(port)" }

    /// All that it has printed.
    package var paper: [UInt8] { get async throws { try await onLoop { $0.model.paper } } }
    /// The bytes that it lost.
    package var lost: Int { get async throws { try await onLoop { $0.model.lost } } }
    /// How many connections it has accepted.
    package var connections: Int { get async throws { try await onLoop { $0.connections } } }
    /// How many clients it serves now: one at most.
    package var clients: Int { get async throws { try await onLoop { $0.hasClient ? 1 : 0 } } }

    package func perform(_ command: Command) async throws {
        let (loop, server) = (loop, server)
        try await loop.flatSubmit { server.value.perform(command) }.get()
    }

    package func stop() async throws {
        let (loop, server) = (loop, server)
        try await loop.flatSubmit { server.value.stop() }.get()
    }

    private func onLoop<Value: Sendable>(
        _ body: @escaping @Sendable (RawPrinterServer) -> Value
    ) async throws -> Value {
        let server = server
        return try await loop.submit { body(server.value) }.get()
    }
}

/// The network side of the printer, and the printer itself. Lives on its event loop.
private final class RawPrinterServer {
    let loop: any EventLoop
    private let options: SimulatedRawPrinter.Options
    private var port = 0
    private(set) var model: any RawPrinter
    private(set) var connections = 0
    private var listener: (any Channel)?
    private var statusListener: (any Channel)?
    private var client: (any Channel)?
    var hasClient: Bool { client != nil }
    private var (isStalled, isMute, isHeld, isReadDue) = (false, false, false, false)
    private var bytesToPowerLoss: Int?
    private var idle: Scheduled<Void>?
    /// The label or page that is being printed.
    private var page: Scheduled<Void>?
    private let report: @Sendable (SimulatedRawPrinter.Event) -> Void
    /// How much was printed when the client came.
    private var printedBefore = 0

    init(
        _ options: SimulatedRawPrinter.Options, _ loop: any EventLoop,
        _ report: @escaping @Sendable (SimulatedRawPrinter.Event) -> Void
    ) {
        (self.options, self.loop, self.report) = (options, loop, report)
        model =
            switch options.language {
            case .zpl:
                SimulatedLabelPrinter(
                    capacity: options.capacity, hasOdometer: options.confirmsByID,
                    statusRequestsPerLabel: options.statusRequestsPerLabel)
            case .pjl: SimulatedPJLPrinter(capacity: options.capacity, reportsJobs: options.confirmsByID)
            case .escPOS, .star, .none:
                RawPrinterModel(
                    options.language, capacity: options.capacity, names: options.names,
                    confirmsByID: options.confirmsByID)
            }
    }

    func listen(port: Int) -> EventLoopFuture<Int> {
        let server = NIOLoopBound(self, eventLoop: loop)
        return ServerBootstrap(group: loop)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            // One client at a time: the next is accepted when it has gone.
            .serverChannelOption(.autoRead, value: false)
            .serverChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(.autoRead, value: false)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 512))
            .childChannelOption(.socketOption(.so_rcvbuf), value: 4096)
            .childChannelOption(.allowRemoteHalfClosure, value: false)
            .childChannelInitializer { channel in
                // Also of one that its client reset before its turn, which never becomes active.
                channel.closeFuture.assumeIsolated().whenComplete { _ in server.value.closed(channel) }
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(RawClientHandler(server.value))
                }
            }
            .bind(host: options.host, port: port)
            .map { channel in
                let this = server.value
                (this.listener, this.port) = (channel, channel.localAddress?.port ?? 0)
                channel.read()
                return this.port
            }
    }

    func listenForStatusRequests() -> EventLoopFuture<Int?> {
        guard let statusPort = options.statusPort else { return loop.makeSucceededFuture(nil) }
        let server = NIOLoopBound(self, eventLoop: loop)
        return ServerBootstrap(group: loop)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(RawStatusHandler(server.value))
                }
            }
            .bind(host: options.host, port: statusPort)
            .map { channel in
                server.value.statusListener = channel
                return channel.localAddress?.port
            }
    }

    /// What it responds with at its status port; nil while it has no power.
    var status: [UInt8]? { listener == nil ? nil : (model as? RawPrinterModel)?.statusOfPort }

    // MARK: The client

    func connected(_ channel: any Channel) {
        // Accepted before the listener was closed.
        guard listener != nil else { return channel.close(promise: nil) }
        client = channel
        connections += 1
        printedBefore = model.paper.count
        report(.connected)
        model.newHost()
        readIfPossible()
        restartIdleTime()
    }

    func received(_ buffer: ByteBuffer) {
        isReadDue = false
        restartIdleTime()
        var bytes = Array(buffer.readableBytesView)
        if let left = bytesToPowerLoss {
            bytes = Array(bytes.prefix(left))
            bytesToPowerLoss = left - bytes.count
        }
        model.receive(bytes)
        if bytesToPowerLoss == 0 {
            losePower()
        } else {
            answer()
            readIfPossible()
        }
    }

    /// Takes the next client.
    func closed(_ channel: any Channel) {
        if channel === client {
            client = nil
            isReadDue = false
            idle?.cancel()
            report(.disconnected(printed: Array(model.paper[printedBefore...])))
        }
        listener?.read()
    }

    private func readIfPossible() {
        guard let client, !isStalled, model.hasRoom, !isReadDue else { return }
        isReadDue = true
        client.read()
    }

    private func printIfPossible() {
        guard page == nil, !isHeld, model.isPrinting else { return }
        page = loop.assumeIsolated().scheduleTask(in: TimeAmount(options.timePerPage)) {
            self.page = nil
            self.model.printNext()
            self.answer()
            self.readIfPossible()
        }
    }

    private func answer() {
        printIfPossible()
        let answers = model.takeAnswers()
        guard let client, !answers.isEmpty, !isMute else { return }
        client.writeAndFlush(client.allocator.buffer(bytes: answers), promise: nil)
    }

    private func restartIdleTime() {
        idle?.cancel()
        guard let limit = options.idleTimeout else { return }
        idle = loop.assumeIsolated().scheduleTask(in: TimeAmount(limit)) { self.client?.close(promise: nil) }
    }

    /// Breaks the client's connection (RST).
    private func reset() {
        guard let client else { return }
        if let provider = client as? any SocketOptionProvider {
            _ = provider.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        }
        client.close(promise: nil)
    }

    private func losePower() {
        bytesToPowerLoss = nil
        model.losePower()
        let listener = listener
        self.listener = nil
        listener?.close(promise: nil)
        reset()
    }

    // MARK: Commands

    func perform(_ command: SimulatedRawPrinter.Command) -> EventLoopFuture<Void> {
        switch command {
        case .set(let condition, let isOn):
            model.change(condition, to: isOn)
            answer()
        case .dropConnection: reset()
        case .closeConnection: client?.close(promise: nil)
        case .powerOff: losePower()
        case .powerOn: if listener == nil { return listen(port: port).map { _ in } }
        case .losePowerAfter(let bytes): bytesToPowerLoss = bytes
        case .stall(let isOn): isStalled = isOn
        case .mute(let isOn): isMute = isOn
        case .hold(let isOn):
            isHeld = isOn
            printIfPossible()
        }
        readIfPossible()
        return loop.makeSucceededVoidFuture()
    }

    func stop() -> EventLoopFuture<Void> {
        idle?.cancel()
        page?.cancel()
        statusListener?.close(promise: nil)
        let listener = listener
        self.listener = nil
        reset()
        return listener?.close() ?? loop.makeSucceededVoidFuture()
    }
}

extension SimulatedRawPrinter.Command {
    /// The command that a person typed; nil where it is none.
    package init?(_ line: String) {
        let words = line.split(separator: " ").joined(separator: " ").lowercased()
        guard let command = Self.help.first(where: { $0.words == words })?.command else { return nil }
        self = command
    }

    /// What people can type.
    package static let help: [(words: String, meaning: String, command: Self)] = [
        ("paper out", "the roll is at its end", .set(.paperOut, true)),
        ("paper in", "a new roll is in", .set(.paperOut, false)),
        ("paper low", "the roll will soon be at its end", .set(.paperLow, true)),
        ("cover open", "the cover is open: it stops", .set(.coverOpen, true)),
        ("cover close", "the cover is closed", .set(.coverOpen, false)),
        ("jam", "the cutter is stuck", .set(.jam, true)), ("unjam", "it is free again", .set(.jam, false)),
        ("drop connection", "the connection breaks", .dropConnection),
        ("close connection", "it closes the connection, as an idle one", .closeConnection),
        ("power off", "it loses its power and all that it holds", .powerOff), ("power on", "it is back", .powerOn),
        ("stall", "it reads nothing any more", .stall(true)), ("unstall", "it reads again", .stall(false)),
        ("mute", "it answers nothing any more", .mute(true)), ("unmute", "it answers again", .mute(false)),
    ]
}

/// Answers one status request, and closes the connection.
private final class RawStatusHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let server: RawPrinterServer
    private var received = 0

    init(_ server: RawPrinterServer) { self.server = server }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += unwrapInboundIn(data).readableBytes
        guard received >= 51 else { return }
        guard let status = server.status else { return context.close(promise: nil) }
        let channel = context.channel
        channel.writeAndFlush(channel.allocator.buffer(bytes: status)).whenComplete { _ in channel.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

private final class RawClientHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let server: RawPrinterServer

    init(_ server: RawPrinterServer) { self.server = server }

    func channelActive(context: ChannelHandlerContext) { server.connected(context.channel) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { server.received(unwrapInboundIn(data)) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
