import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// Hummingbird's HTTP/1.1 server on a Unix socket, with the bounds of this API.
///
/// It is built on Hummingbird's server and router without its `Application`, which would keep a clock ticking for the
/// `Date` field and make a logger for every request.
enum APIServer {
    /// A connection on which nothing moves for `idleTimeout` is closed: an idle one, and one whose client stopped amid
    /// a request.
    static func service(
        at path: String, idleTimeout: TimeAmount, limits: CallerLimits, descriptors: DescriptorLimit,
        responder: APIResponder, logger: Logger,
        onRunning: @escaping @Sendable () async -> Void
    ) -> any Service {
        return APIConnections(limits: limits, idleTimeout: idleTimeout, descriptors: descriptors, responder: responder)
            .server(
                configuration: ServerConfiguration(address: .unixDomainSocket(path: path), backlog: 1024),
                onServerRunning: { channel in
                    let added = channel.eventLoop.submit {
                        try channel.pipeline.syncOperations.addHandler(
                            ListenerHandler(descriptors: descriptors), position: .first)
                    }
                    try? await added.get()
                    await onRunning()
                },
                eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger
            )
    }
}
