import KioskPrintModel
import NIOCore
import NIOPosix

/// Asks every printer in reach of a datagram for its name, in one maker's protocol. What comes back is bounded in
/// length and number, and an address counts only as the sender of a datagram, never as what stands in it.
struct DatagramSearch: Sendable {
    let query: [UInt8]
    /// Where the query goes: broadcast addresses of the interfaces, each with the protocol's port.
    let destinations: [SocketAddress]
    /// Reads a response from an address.
    let finding: @Sendable (_ bytes: [UInt8], _ address: String) -> NetworkFinding?

    /// The datagrams that are read. More are a flood.
    private static let maximumResponses = 1024
    private static let floodNote =
        "more than \(maximumResponses) datagrams came in response to one query; later ones were not read, so printers may be missing"
    /// When the query is sent: datagrams get lost.
    private static let times: [Duration] = [.zero, .milliseconds(500), .milliseconds(1500)]

    /// What a search tells.
    enum Event: Sendable {
        case finding(NetworkFinding)
        /// Why it reads nothing more.
        case flood(String)
    }

    /// Asks, and reports what responds, until the task is cancelled. Throws where no socket can be opened.
    func run(on group: any EventLoopGroup, report: @escaping @Sendable (Event) -> Void) async throws {
        guard !destinations.isEmpty else { return }
        let finding = finding
        let channel = try await DatagramBootstrap(group: group)
            .channelOption(.socketOption(.so_broadcast), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        ResponseHandler(limit: Self.maximumResponses) { bytes, address in
                            if let found = finding(bytes, address) { report(.finding(found)) }
                        } flooded: {
                            report(.flood(Self.floodNote))
                        })
                }
            }
            .bind(host: "0.0.0.0", port: 0).get()
        // Closed however the search ends; the first sleep that is cancelled ends it.
        defer { channel.close(promise: nil) }
        var sent = Duration.zero
        for time in Self.times {
            do { try await Task.sleep(for: time - sent) } catch { return }
            sent = time
            for destination in destinations {
                let envelope = AddressedEnvelope(remoteAddress: destination, data: ByteBuffer(bytes: query))
                // An interface may have gone meanwhile.
                try? await channel.writeAndFlush(envelope)
            }
        }
        try? await Task.sleep(for: .seconds(3600))
    }

    /// The broadcast addresses of this computer's interfaces. Those without, such as tunnels, are not asked.
    static func broadcastAddresses() -> [String] {
        let devices = (try? System.enumerateDevices()) ?? []
        let addresses = devices.compactMap { device -> String? in
            guard case .v4? = device.broadcastAddress, case .v4? = device.address else { return nil }
            return device.broadcastAddress?.ipAddress
        }
        // An interface without a network says 0.0.0.0.
        return Set(addresses).filter { $0 != "0.0.0.0" && !$0.hasPrefix("127.") }.sorted()
    }
}

/// Hands each datagram on, up to a number of them, and closes the socket then.
private final class ResponseHandler: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    private var remaining: Int
    private let receive: (_ bytes: [UInt8], _ address: String) -> Void
    private let flooded: () -> Void

    init(
        limit: Int, _ receive: @escaping (_ bytes: [UInt8], _ address: String) -> Void,
        flooded: @escaping () -> Void
    ) {
        remaining = limit
        self.receive = receive
        self.flooded = flooded
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard remaining > 0 else { return }
        remaining -= 1
        let envelope = unwrapInboundIn(data)
        // The responses that are known have 302 bytes at most.
        let bytes = Array(envelope.data.readableBytesView.prefix(2048))
        if let address = envelope.remoteAddress.ipAddress { receive(bytes, address) }
        if remaining == 0 {
            context.close(promise: nil)
            flooded()
        }
    }

    /// A destination that cannot be reached is no reason to stop listening.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}
