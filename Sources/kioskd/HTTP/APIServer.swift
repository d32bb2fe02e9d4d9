internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import ServiceLifecycle

/// Hummingbird's HTTP/1.1 server on a Unix socket, with the bounds of this API.
///
/// It is built on Hummingbird's server and router without its `Application`, which would keep a clock ticking for the
/// `Date` field and make a logger for every request.
enum APIServer {
    /// Open connections; more wait in the kernel's queue until one is closed.
    private static let maximumConnections = 512
    /// All header fields of a request together, in bytes, and their count.
    private static let maximumHeaderSize = 32 * 1024
    private static let maximumHeaderCount = 100

    /// A connection on which nothing moves for `idleTimeout` is closed: an idle one, and one whose client stopped amid
    /// a request.
    static func service(
        at path: String, idleTimeout: TimeAmount, responder: APIResponder, logger: Logger, onRunning: @escaping @Sendable () async -> Void
    ) throws -> any Service {
        let configuration = HTTP1Channel.Configuration(
            additionalChannelHandlers: [ConnectionHandler()], idleTimeout: idleTimeout,
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: maximumHeaderSize, maxHeaderListSize: maximumHeaderSize,
                maxHeaderFieldCount: maximumHeaderCount
            )
        )
        return try HTTPServerBuilder.http1(configuration: configuration).buildServer(
            configuration: ServerConfiguration(
                address: .unixDomainSocket(path: path), backlog: 1024,
                availableConnectionsDelegate: MaximumAvailableConnections(maximumConnections)
            ),
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: logger,
            responder: { request, writer, channel in
                let response = await responder.response(to: request, on: channel)
                try await writer.write(response: response.head, body: response.body)
            },
            onServerRunning: { _ in await onRunning() }
        )
    }
}
