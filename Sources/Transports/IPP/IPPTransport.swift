import IPPCodec
public import Logging
public import NIOCore
import NIOPosix
public import PrintModel
import Synchronization

/// The way to printers that speak IPP (RFC 8010, RFC 8011): over the network, or over what a dialer opens.
///
/// One value serves any number of printers. For each it keeps at most two connections, which it gives up when they lie
/// idle for some seconds, and what it learnt: the version that works and what the printer supports.
public final class IPPTransport: Transport {
    public let schemes: Set<PrinterURL.Scheme>

    let credentials: (any CredentialSource)?
    let quirks: @Sendable (PrinterIdentity) -> [Quirk]
    let deadlines: Deadlines
    let clock: (any Clock<Duration>)?
    let logger: Logger
    let threadPool: NIOThreadPool
    private let dialer: (any PrinterDialer)?
    private let staysInside: @Sendable (SocketAddress) -> Bool
    private let group: any EventLoopGroup
    private let ownsGroup: Bool
    private let state = Mutex(State())

    private struct State {
        var links: [PrinterTarget: PrinterLink] = [:]
        /// Calls under way: they run on the event loops, which must outlive them.
        var calls = 0
        var isShutDown = false
        var shutDowns: [CheckedContinuation<Void, Never>] = []
    }

    /// - Parameters: - credentials: Where the logins are that the printers' `credentials` name; without one, no login
    ///   is sent. - dialer: Opens the connections, to printers of its schemes; without one, the network does, to ipp://
    ///   and ipps://. - quirks: How a printer's model departs from IPP, the most specific first; asked again when its
    ///   model becomes known. - group: Carries the connections; without one, the transport makes and ends one of its
    ///   own, with a single thread. - clock: Paces the questions after a job's state; the event loop's own time where
    ///   there is none.
    public convenience init(
        credentials: (any CredentialSource)? = nil, dialer: (any PrinterDialer)? = nil,
        quirks: @escaping @Sendable (PrinterIdentity) -> [Quirk] = { _ in [] },
        deadlines: Deadlines = Deadlines(), group: (any EventLoopGroup)? = nil,
        clock: (any Clock<Duration>)? = nil, logger: Logger = Logger(label: "ipp")
    ) {
        self.init(
            credentials: credentials, dialer: dialer, quirks: quirks, deadlines: deadlines, group: group, clock: clock,
            logger: logger,
            staysInside: \.isLoopback
        )
    }

    /// `staysInside`: whether what goes to an address never leaves this computer.
    init(
        credentials: (any CredentialSource)? = nil, dialer: (any PrinterDialer)? = nil,
        quirks: @escaping @Sendable (PrinterIdentity) -> [Quirk] = { _ in [] },
        deadlines: Deadlines = Deadlines(), group: (any EventLoopGroup)? = nil,
        clock: (any Clock<Duration>)? = nil, logger: Logger = Logger(label: "ipp"),
        staysInside: @escaping @Sendable (SocketAddress) -> Bool
    ) {
        schemes = dialer?.schemes ?? [.ipp, .ipps]
        self.dialer = dialer
        self.staysInside = staysInside
        self.credentials = credentials
        self.quirks = quirks
        self.deadlines = deadlines
        self.clock = clock
        self.logger = logger
        self.group = group ?? MultiThreadedEventLoopGroup(numberOfThreads: 1)
        ownsGroup = group == nil
        threadPool = .singleton
    }

    /// Sends the printer nothing: what it was trusted by, and the login, may just have been replaced.
    public func forget(_ printer: PrinterTarget) async {
        let link = state.withLock { state in
            guard let link = state.links.removeValue(forKey: printer) else { return nil as PrinterLink? }
            state.calls += 1
            return link
        }
        guard let link else { return }
        link.close()
        leave()
    }

    public func shutDown() async {
        let links = state.withLock { state in
            state.isShutDown = true
            state.calls += 1
            defer { state.links = [:] }
            return Array(state.links.values)
        }
        let farewells = links.compactMap { farewell(to: $0) }
        for link in links { link.close() }
        await say(farewells)
        leave()
        await callsToEnd()
        guard ownsGroup else { return }
        do {
            try await group.shutdownGracefully()
        } catch {
            logger.warning("the event loop did not end cleanly: \(error)")
        }
    }

    /// Whether a dialer opens its connections; they have no TLS.
    var isDialed: Bool { dialer != nil }

    private func callsToEnd() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                guard state.calls > 0 else { return true }
                state.shutDowns.append(continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
    }
}

extension IPPTransport {
    /// Runs a call for a printer where its connections live.
    func call<Value: Sendable>(
        _ printer: PrinterTarget, _ work: @Sendable (IPPClient) async throws -> Value
    ) async throws -> Value {
        let client = try enter(printer)
        defer { leave() }
        return try await client.link.home.run { try await work(client) }
    }

    private func enter(_ printer: PrinterTarget) throws(TransportError) -> IPPClient {
        guard schemes.contains(printer.url.scheme) else {
            throw TransportError(
                .notSupported, operation: "connect",
                message:
                    "\(printer.url): this transport serves \(schemes.map(\.name).sorted().joined(separator: ", ")) only; save the printer under such a URL"
            )
        }
        let link: PrinterLink? = state.withLock { state in
            guard !state.isShutDown else { return nil }
            state.calls += 1
            if let link = state.links[printer] { return link }
            let link = PrinterLink(
                printer,
                connector: Connector(
                    eventLoop: group.next(), threadPool: threadPool, connectTimeout: TimeAmount(deadlines.connect),
                    dialer: dialer, staysInside: staysInside, logger: logger
                ), credentials: credentials, idleLimit: IdleLimit(TimeAmount(deadlines.idle))
            )
            link.knowledge.manners = Manners(quirks(PrinterIdentity(profile: printer.profile)))
            state.links[printer] = link
            return link
        }
        guard let link else {
            throw TransportError(HTTPFailure(cause: .cancelled), operation: "connect", printer: printer.url)
        }
        return IPPClient(link: link, deadlines: deadlines, logger: logger)
    }

    private func leave() {
        let waiting = state.withLock { state in
            state.calls -= 1
            guard state.calls == 0 else { return [] as [CheckedContinuation<Void, Never>] }
            defer { state.shutDowns = [] }
            return state.shutDowns
        }
        for continuation in waiting { continuation.resume() }
    }
}
