import KioskDevicePrinting
import NIOCore
import NIOPosix

/// The status port of Star's network interfaces, TCP 9101: responds with the automatic status whoever holds the port
/// for data, and closes the connection (Star, "IFBD-HE07/08 User's Manual" §3.1.4).
package struct StarStatusPort: Sendable {
    package var port = 9101
    /// The time to connect, and the time for the whole response.
    package var timeout = Duration.seconds(2)

    /// `2` and 50 NULs.
    private static let request = [UInt8(ascii: "2")] + [UInt8](repeating: 0, count: 50)
    /// A status and what a network interface may attach to it.
    private static let maximumLength = 1024

    package init() {}

    /// The printer's status; nil where none comes in time.
    func status(of host: String, on group: any EventLoopGroup) async -> StarStatus? {
        let time = TimeAmount(timeout)
        do {
            let connection = try await ClientBootstrap(group: group).connectTimeout(time)
                .connect(host: host, port: port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                    }
                }
            let channel = connection.channel
            let timer = channel.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
            defer { timer.cancel() }
            return try await connection.executeThenClose { inbound, outbound in
                try await outbound.write(ByteBuffer(bytes: Self.request))
                var (parser, length) = (StarStatusParser(), 0)
                for try await buffer in inbound {
                    for case .status(let status) in parser.feed(buffer.readableBytesView) { return status }
                    length += buffer.readableBytes
                    if length > Self.maximumLength { break }
                }
                return nil
            }
        } catch {
            return nil
        }
    }
}
