import IPPCodec
public import Logging
public import NIOCore
import NIOPosix
public import PrintModel
import Synchronization

/// The way to network printers that speak IPP (RFC 8010, RFC 8011).
///
/// One value serves any number of printers. For each it keeps at most two connections, which it gives up when they lie
/// idle for some seconds, and what it learnt: the version that works and what the printer supports.
public final class IPPTransport: Transport {
    public let schemes: Set<PrinterURL.Scheme> = [.ipp]

    let deadlines: Deadlines
    let clock: (any Clock<Duration>)?
    let logger: Logger
    let threadPool: NIOThreadPool
    private let group: any EventLoopGroup
    private let ownsGroup: Bool
    private let links = Mutex<[PrinterTarget: PrinterLink]>([:])

    /// `group` carries the connections; without one, the transport makes and ends one of its own, with a single thread.
    /// `clock` paces the questions after a job's state; the event loop's own time where there is none.
    public init(
        deadlines: Deadlines = Deadlines(), group: (any EventLoopGroup)? = nil,
        clock: (any Clock<Duration>)? = nil, logger: Logger = Logger(label: "ipp")
    ) {
        self.deadlines = deadlines
        self.clock = clock
        self.logger = logger
        self.group = group ?? MultiThreadedEventLoopGroup(numberOfThreads: 1)
        ownsGroup = group == nil
        threadPool = .singleton
    }

    public func forget(_ printer: PrinterTarget) async {
        links.withLock { $0.removeValue(forKey: printer) }?.close()
    }

    public func shutDown() async {
        let all = links.withLock { links in
            defer { links = [:] }
            return Array(links.values)
        }
        for link in all { link.close() }
        guard ownsGroup else { return }
        do {
            try await group.shutdownGracefully()
        } catch {
            logger.warning("the event loop did not end cleanly: \(error)")
        }
    }

    /// What asks operations of a printer.
    func client(for printer: PrinterTarget) throws(TransportError) -> IPPClient {
        guard schemes.contains(printer.url.scheme) else {
            throw TransportError(
                .notSupported, operation: "connect",
                message: "\(printer.url): this transport serves \(schemes.map(\.name).sorted().joined(separator: ", ")) only; save the printer under such a URL"
            )
        }
        let link = links.withLock { links in
            if let link = links[printer] { return link }
            let connector = Connector(
                eventLoop: group.next(), threadPool: threadPool, connectTimeout: TimeAmount(deadlines.connect)
            )
            let link = PrinterLink(printer, connector: connector)
            links[printer] = link
            return link
        }
        return IPPClient(link: link, deadlines: deadlines, logger: logger)
    }
}
