import Glibc
import HummingbirdCore
import KioskIPP
import KioskPrintModel
import KioskServiceManager
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// The API's server over TCP: its listeners, and its certificate from day to day.
///
/// Printing does not depend on it: where it cannot listen, because another program does or the network comes later, it
/// says so and tries again.
struct NetworkService: Service {
    let listeners: [ListenAddress]
    /// The service manager's sockets.
    let inherited: [ListenAddress: InheritedSocket]
    let door: NetworkDoor
    let idleTimeout: TimeAmount
    let limits: CallerLimits
    let responder: APIResponder
    let logger: Logger

    /// The time between two attempts to listen.
    private static let retryInterval = Duration.seconds(2)
    /// The time between two looks at the certificate: at given files, and at the end of our own.
    private static let certificateInterval = Duration.seconds(60)

    func run() async throws {
        await refreshCertificate()
        await withDiscardingTaskGroup { group in
            group.addTask { await keepCertificate() }
            for listener in Set(listeners) { group.addTask { await keepListening(at: listener) } }
            for (place, socket) in inherited { group.addTask { await keepServing(place, at: .inherited(socket)) } }
        }
    }

    private func keepCertificate() async {
        while await pause(Self.certificateInterval) { await refreshCertificate() }
    }

    private func refreshCertificate() async {
        guard let certificate = door.certificate else { return }
        try? await NIOThreadPool.singleton.runIfActive { certificate.refresh() }
    }

    /// Waits; false where the daemon ends.
    private func pause(_ time: Duration) async -> Bool {
        await cancelWhenGracefulShutdown { try? await Task.sleep(for: time) }
        return isWanted
    }

    private var isWanted: Bool { !Task.isShuttingDownGracefully && !Task.isCancelled }

    private func keepListening(at listener: ListenAddress) async {
        repeat {
            do {
                let hosts = try await addresses(of: listener)
                await withDiscardingTaskGroup { group in
                    for host in hosts { group.addTask { await keepListening(at: listener, on: host) } }
                }
            } catch {
                fail(listener, "\(error)")
            }
        } while await pause(Self.retryInterval)
    }

    private func keepListening(at listener: ListenAddress, on host: String) async {
        var place = listener
        place.host = host
        await keepServing(place, at: .tcp(host: place.host, port: place.port))
    }

    private func keepServing(_ place: ListenAddress, at entrance: APIServer.Entrance) async {
        repeat {
            do {
                guard !place.isSecure || door.certificate?.context != nil else { throw NoCertificate() }
                try await serve(place, at: entrance)
                door.note(nil, of: place)
            } catch {
                fail(place, (error as? IOError).map { errorText($0.errnoCode) } ?? "\(error)")
            }
        } while await pause(Self.retryInterval)
    }

    /// Logs a failure when it is new.
    private func fail(_ listener: ListenAddress, _ reason: String) {
        let text =
            "cannot listen at \(listener): \(reason); it is tried again every \(Self.retryInterval.components.seconds) s"
        if door.note(.failed(text), of: listener) != .failed(text) { logger.error("\(text)") }
    }

    private struct NoCertificate: Error, CustomStringConvertible {
        var description: String { "there is no usable certificate" }
    }

    /// The addresses of a listener's name: those that this machine has, where it has any of them.
    private func addresses(of listener: ListenAddress) async throws -> [String] {
        if RemoteAddress(listener.host) != nil { return [listener.host] }
        return try await NIOThreadPool.singleton.runIfActive {
            let found = try Self.resolve(listener.host)
            // A plain one must not come to lie open because a name leads elsewhere.
            let usable = listener.isSecure ? found : found.filter(\.isLoopback)
            let own = Set(((try? System.enumerateDevices()) ?? []).compactMap { RemoteAddress($0.address) })
            let local = usable.filter(own.contains)
            guard !usable.isEmpty else { throw NameError("\(listener.host) is not a name of this machine's loopback") }
            return (local.isEmpty ? usable : local).map(\.description)
        }
    }

    private struct NameError: Error, CustomStringConvertible {
        var description: String
        init(_ description: String) { self.description = description }
    }

    /// getaddrinfo(3). Blocks.
    private static func resolve(_ name: String) throws -> [RemoteAddress] {
        var hints = addrinfo()
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let failure = getaddrinfo(name, nil, &hints, &list)
        guard failure == 0 else { throw NameError("\(name): \(String(cString: gai_strerror(failure)))") }
        defer { freeaddrinfo(list) }
        var found: [RemoteAddress] = []
        var next = list
        while let entry = next {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let isText = getnameinfo(
                entry.pointee.ai_addr, entry.pointee.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
            if isText == 0 {
                let address = RemoteAddress(
                    String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
                if let address, !found.contains(address) { found.append(address) }
            }
            next = entry.pointee.ai_next
        }
        return found
    }

    private func serve(_ place: ListenAddress, at entrance: APIServer.Entrance) async throws {
        var serverLogger = logger
        // What it says at `info` and below is about its own workings.
        if serverLogger.logLevel > .debug { serverLogger.logLevel = .warning }
        let server = APIServer.service(
            at: entrance,
            network: NetworkListener(door: door, isSecure: place.isSecure), idleTimeout: idleTimeout, limits: limits,
            descriptors: DescriptorLimit(refused: limits.refusals.bounds.users, logger: logger), responder: responder,
            logger: serverLogger
        ) { channel in
            let address = place.at(port: channel.localAddress?.port ?? place.port)
            door.note(.listening(address), of: place)
            logger.notice("listening at \(address)")
        }
        // What a connection's task waits for comes from its event loop.
        let executor = EventLoopTaskExecutor(MultiThreadedEventLoopGroup.singleton.next())
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask(executorPreference: executor) { try await server.run() }
            try await group.next()
        }
    }
}
