import Glibc
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization

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

/// The `Date` field (RFC 9110 §6.6.1), written anew at most once a second and only when an answer asks for it.
final class DateField: Sendable {
    private let last = Mutex<(second: time_t, text: String)>((0, ""))

    var value: String {
        let now = time(nil)
        return last.withLock { last in
            if last.second != now { last = (now, Self.text(of: now)) }
            return last.text
        }
    }

    /// RFC 9110 §5.6.7: `Sat, 21 Nov 2026 03:40:00 GMT`. The names are English whatever the locale is.
    static func text(of moment: time_t) -> String {
        var moment = moment
        var parts = tm()
        gmtime_r(&moment, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ number: CInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return
            "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(parts.tm_year + 1900) "
            + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
    }
}
