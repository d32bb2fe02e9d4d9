import KioskDiscovery
import KioskPrintModel
import KioskTestSupport
import NIOCore
import NIOPosix
import Synchronization
import Testing

/// Searches whose datagrams go to responders on loopback.
@Suite(.timeLimit(.minutes(5))) struct NetworkDiscoveryTests {
    /// Responds to each query at a port of its own with these datagrams.
    private final class Responder: ChannelInboundHandler, Sendable {
        typealias InboundIn = AddressedEnvelope<ByteBuffer>

        private let query: [UInt8]
        private let responses: [[UInt8]]
        /// Whether it goes on to respond until it is closed.
        private let isEndless: Bool

        private init(_ query: [UInt8], _ responses: [[UInt8]], isEndless: Bool) {
            (self.query, self.responses, self.isEndless) = (query, responses, isEndless)
        }

        static func start(_ query: [UInt8], _ responses: [UInt8]...) async throws -> any Channel {
            try await start(query, responses, isEndless: false)
        }

        static func flood(_ query: [UInt8], _ response: [UInt8]) async throws -> any Channel {
            // The kernel drops what comes faster than it is read.
            try await start(query, Array(repeating: response, count: 20), isEndless: true)
        }

        private static func start(
            _ query: [UInt8], _ responses: [[UInt8]], isEndless: Bool
        ) async throws -> any Channel {
            try await DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .channelInitializer { $0.pipeline.addHandler(Responder(query, responses, isEndless: isEndless)) }
                .bind(host: "127.0.0.1", port: 0).get()
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let envelope = unwrapInboundIn(data)
            guard Array(envelope.data.readableBytesView) == query else { return }
            respond(to: envelope.remoteAddress, over: context.channel)
        }

        private func respond(to address: SocketAddress, over channel: any Channel) {
            guard channel.isActive else { return }
            for response in responses {
                channel.write(
                    AddressedEnvelope(remoteAddress: address, data: ByteBuffer(bytes: response)), promise: nil)
            }
            channel.flush()
            guard isEndless else { return }
            channel.eventLoop.scheduleTask(in: .milliseconds(1)) { [self] in respond(to: address, over: channel) }
        }
    }

    private static func discovery(
        _ enpc: any Channel, _ star: any Channel, _ zebra: any Channel
    ) throws
        -> NetworkDiscovery
    {
        var ports = NetworkDiscovery.Ports()
        ports.enpc = try #require(enpc.localAddress?.port)
        ports.starSDP = try #require(star.localAddress?.port)
        ports.zebra = try #require(zebra.localAddress?.port)
        return NetworkDiscovery(
            group: MultiThreadedEventLoopGroup.singleton, ports: ports, destinations: { ["127.0.0.1"] },
            browsesDNSSD: false)
    }

    private final class Told: Sendable {
        let printers = Mutex<[NetworkPrinter]>([])
        let notes = Mutex<[String]>([])
    }

    /// Searches until there are printers of these names, and returns those that were told of.
    private static func search(
        _ discovery: NetworkDiscovery, scheme: PrinterURL.Scheme? = nil, until names: Set<String>
    ) async throws -> [NetworkPrinter] {
        let told = Told()
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                await discovery.run(for: .seconds(3600), scheme: scheme) { event in
                    if case .printer(let printer) = event { told.printers.withLock { $0.append(printer) } }
                }
            }
            try await eventually("printers that respond") {
                told.printers.withLock { names.isSubset(of: $0.map(\.makeAndModel)) }
            }
            tasks.cancelAll()
        }
        return told.printers.withLock { $0 }
    }

    @Test func `printers that answer a datagram are found, and what makes no sense is left out`() async throws {
        let enpc = try await Responder.start(
            ENPC.query, [], [0xFF], Array("EPSONq".utf8), [UInt8](repeating: 0, count: 1400), Responses.enpcPrinter)
        let star = try await Responder.start(StarSDP.query, Responses.star())
        let zebra = try await Responder.start(ZebraDiscovery.query, Responses.zebra())
        let names: Set = ["EPSON TM-m30II", "Star TSP143 (STR_T-001)", "Zebra ZD421-203dpi"]
        let printers = try await Self.search(Self.discovery(enpc, star, zebra), until: names)
        #expect(Set(printers.map(\.makeAndModel)) == names)
        #expect(printers.allSatisfy { $0.best.url.description == "socket://127.0.0.1" && $0.isDevice })
        for channel in [enpc, star, zebra] { try await channel.close() }
    }

    @Test func `a flood of responses is read to a limit and told of, and keeps no other from being found`() async throws
    {
        let enpc = try await Responder.start(ENPC.query, Responses.enpcPrinter)
        let flood = try await Responder.flood(StarSDP.query, Responses.star("Flood"))
        let zebra = try await Responder.start(ZebraDiscovery.query, Responses.zebra())
        let told = Told()
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            let discovery = try Self.discovery(enpc, flood, zebra)
            tasks.addTask {
                await discovery.run(for: .seconds(3600)) { event in
                    switch event {
                    case .printer(let printer): told.printers.withLock { $0.append(printer) }
                    case .note(let note): told.notes.withLock { $0.append(note) }
                    case .joined: break
                    }
                }
            }
            try await eventually("the note, and the printers") {
                let names = Set(told.printers.withLock { $0.map(\.makeAndModel) })
                return told.notes.withLock { $0.contains { $0.contains("more than 1024 datagrams") } }
                    && names.isSuperset(of: ["EPSON TM-m30II", "Star Flood", "Zebra ZD421-203dpi"])
            }
            tasks.cancelAll()
        }
        #expect(told.notes.withLock(\.count) == 1)
        for channel in [enpc, flood, zebra] { try await channel.close() }
    }

    @Test func `a search ends with its time, and sends nothing where there is nowhere to send`() async throws {
        let discovery = NetworkDiscovery(
            group: MultiThreadedEventLoopGroup.singleton, destinations: { [] }, browsesDNSSD: false)
        var told = 0
        await discovery.run(for: .milliseconds(10)) { _ in told += 1 }
        #expect(told == 0)
    }
}
