public import Logging
public import NIOCore
import NIOPosix
public import PrintModel
import SSH

/// The way to printers that hang on a Unix host: over SSH into its `lpr`, with `lpq` and `lprm` beside it.
///
/// One value serves any number of hosts. For each host and login it keeps one connection, which all queues share, and
/// what it learnt of the host's programs.
public final class SSHLprTransport: Transport {
    public let schemes: Set<PrinterURL.Scheme> = [.sshLpr]
    /// Each contact is a command on somebody's server.
    public let idleContactInterval: Duration? = .seconds(60)

    let settings: @Sendable (String?) -> LprSettings
    let deadlines: Deadlines
    let clock: any Clock<Duration>
    let logger: Logger
    /// Nil where the hosts are a test's own.
    let connector: HostConnector?
    private let hosts: HostPool
    private let ownGroup: (any EventLoopGroup)?

    /// - Parameters: - credentials: Where the logins are that the printers' `credentials` name. - settings: What a
    ///   profile says of the way to queues; asked for each call. - group: Carries the connections; without one, the
    ///   transport makes and ends one of its own, with a single thread. - clock: Paces the questions after a job.
    public convenience init(
        credentials: (any CredentialSource)? = nil,
        settings: @escaping @Sendable (String?) -> LprSettings = { _ in LprSettings() },
        deadlines: Deadlines = Deadlines(), group: (any EventLoopGroup)? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        logger: Logger = Logger(label: "ssh+lpr")
    ) {
        let ownGroup = group == nil ? MultiThreadedEventLoopGroup(numberOfThreads: 1) : nil
        let connector = HostConnector(
            credentials: credentials, hostKeys: HostKeyTrust(), deadlines: deadlines.connection,
            group: group ?? ownGroup ?? MultiThreadedEventLoopGroup.singleton, logger: logger
        )
        self.init(
            hosts: HostPool { connector.host(of: $0) }, connector: connector, ownGroup: ownGroup, settings: settings,
            deadlines: deadlines,
            clock: clock, logger: logger
        )
    }

    init(
        hosts: HostPool, connector: HostConnector? = nil, ownGroup: (any EventLoopGroup)? = nil,
        settings: @escaping @Sendable (String?) -> LprSettings, deadlines: Deadlines, clock: any Clock<Duration>,
        logger: Logger
    ) {
        self.hosts = hosts
        self.connector = connector
        self.ownGroup = ownGroup
        self.settings = settings
        self.deadlines = deadlines
        self.clock = clock
        self.logger = logger
    }

    /// Sends the host nothing: what it was trusted by, and the login, may just have been replaced.
    public func forget(_ printer: PrinterTarget) async { await hosts.forget(printer) }

    public func shutDown() async {
        await hosts.shutDown()
        guard let ownGroup else { return }
        do {
            try await ownGroup.shutdownGracefully()
        } catch {
            logger.warning("the event loop did not end cleanly: \(error)")
        }
    }

    /// Runs a call for a queue; whatever it throws becomes a `TransportError`.
    func call<Value: Sendable>(
        _ printer: PrinterTarget, _ work: (QueueClient) async throws -> Value
    ) async throws -> Value {
        guard schemes.contains(printer.url.scheme), let queue = printer.url.queue else {
            throw TransportError(
                .notSupported, operation: "connect",
                message:
                    "\(printer.url): this transport serves ssh+lpr://user@host/queue only; save the printer under such a URL"
            )
        }
        guard let host = hosts.host(of: printer) else {
            throw TransportError(cancelled: "connect", printer: printer.url)
        }
        let client = QueueClient(
            printer: printer.url, queue: queue, host: host, settings: settings(printer.profile), deadlines: deadlines
        )
        do {
            return try await work(client)
        } catch let error as SSHError {
            throw TransportError(error, printer: printer.url)
        } catch is CancellationError {
            throw TransportError(cancelled: "connect", printer: printer.url)
        }
    }
}
