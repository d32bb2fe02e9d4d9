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
        typealias OutboundOut = AddressedEnvelope<ByteBuffer>

        private let query: [UInt8]
        private let responses: [[UInt8]]

        private init(_ query: [UInt8], _ responses: [[UInt8]]) { (self.query, self.responses) = (query, responses) }

        static func start(_ query: [UInt8], _ responses: [UInt8]...) async throws -> any Channel {
            try await DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .channelInitializer { $0.pipeline.addHandler(Responder(query, responses)) }
                .bind(host: "127.0.0.1", port: 0).get()
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let envelope = unwrapInboundIn(data)
            guard Array(envelope.data.readableBytesView) == query else { return }
            for response in responses {
                let answer = AddressedEnvelope(remoteAddress: envelope.remoteAddress, data: ByteBuffer(bytes: response))
                context.write(wrapOutboundOut(answer), promise: nil)
            }
            context.flush()
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

    @Test func `a flood of responses does not keep the others from being found`() async throws {
        let flood = Array(repeating: Responses.enpc([]), count: 2000)
        let enpc = try await Responder.start(ENPC.query)
        let star = try await Responder.start(StarSDP.query, Responses.star())
        let zebra = try await DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let target = try #require(star.localAddress)
        for response in flood {
            zebra.write(AddressedEnvelope(remoteAddress: target, data: ByteBuffer(bytes: response)), promise: nil)
        }
        zebra.flush()
        let printers = try await Self.search(
            Self.discovery(enpc, star, zebra), until: ["Star TSP143 (STR_T-001)"])
        #expect(Set(printers.map(\.makeAndModel)) == ["Star TSP143 (STR_T-001)"])
        for channel in [enpc, star, zebra] { try await channel.close() }
    }

    @Test func `a search ends with its time, and sends nothing where there is nowhere to send`() async throws {
        let discovery = NetworkDiscovery(
            group: MultiThreadedEventLoopGroup.singleton, destinations: { [] }, browsesDNSSD: false)
        var told = 0
        await discovery.run(for: .milliseconds(10)) { _ in told += 1 }
        #expect(told == 0)
    }
}
