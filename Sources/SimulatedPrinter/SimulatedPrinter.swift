import FoundationEssentials
import Glibc
package import KioskPrintModel
import NIOCore
import NIOPosix

/// An IPP printer on loopback that accepts jobs, keeps their documents, and fails in many ways on command. It runs on
/// its own thread from `start` until `stop`, or until the last reference to it goes.
package final class SimulatedPrinter: Sendable {
    package struct Options: Sendable {
        package var kind = SimulatedPrinterKind.receipt
        package var name = "Simulated printer"
        package var location = "Loopback"
        /// 0 takes any free one.
        package var port = 0
        /// The folder that keeps the documents; nil keeps them in a temporary folder until the printer stops.
        package var folder: String?
        package var condition = PrinterCondition()
        /// Nil serves without TLS.
        package var tls: PrinterTLSOptions?
        /// Nil serves everyone.
        package var login: PrinterLogin?

        package init() {}
        package init(_ kind: SimulatedPrinterKind) { self.kind = kind }
    }

    package let kind: SimulatedPrinterKind
    package let port: Int
    package let uri: String
    private let group: MultiThreadedEventLoopGroup
    private let server: NIOLoopBound<PrinterServer>
    private let spool: SpoolFolder

    /// Starts a printer and returns once it listens. `onEvent` is called on the printer's own thread, in order; it must
    /// not wait.
    package static func start(
        _ options: Options = Options(), onEvent: @escaping @Sendable (PrinterEvent) -> Void = { _ in }
    ) async throws -> SimulatedPrinter {
        let spool = try SpoolFolder(options.folder)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let server: NIOLoopBound<PrinterServer>
        do {
            server = try await loop.submit {
                NIOLoopBound(
                    try PrinterServer(loop: loop, folder: spool.path, options, onEvent: onEvent), eventLoop: loop)
            }.get()
            try await loop.flatSubmit { server.value.listener.listen(for: server.value) }.get()
        } catch {
            try? await group.shutdownGracefully()
            if let error = error as? SimulatedPrinterError { throw error }
            let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
            throw SimulatedPrinterError(
                "The simulated printer cannot listen on localhost:\(options.port): \(reason). Choose another port.")
        }
        let identity = try await loop.submit { server.value.identity }.get()
        return SimulatedPrinter(kind: options.kind, identity: identity, group: group, server: server, spool: spool)
    }

    private init(
        kind: SimulatedPrinterKind, identity: PrinterIdentity, group: MultiThreadedEventLoopGroup,
        server: NIOLoopBound<PrinterServer>, spool: SpoolFolder
    ) {
        self.kind = kind
        port = identity.port
        uri = identity.uri
        self.group = group
        self.server = server
        self.spool = spool
    }

    deinit { group.shutdownGracefully { _ in } }

    /// The folder that keeps the documents.
    package var folder: String { spool.path }

    /// Performs a command and returns when it is done.
    package func perform(_ command: PrinterCommand) async throws {
        try await server.eventLoop.flatSubmit { [server] in server.value.perform(command) }.get()
    }

    /// The documents received so far, in the order in which they ended.
    package var documents: [ReceivedDocument] {
        get async throws { try await read { $0.documents } }
    }

    /// What came out on paper so far, in order.
    package var paper: [PaperRecord] {
        get async throws { try await read { $0.paper } }
    }

    /// The jobs that the printer remembers, by ascending id.
    package var jobs: [SimulatedJob] {
        get async throws { try await read { $0.model.jobs } }
    }

    /// The certificate for new connections; nil without TLS.
    package var certificate: Certificate? {
        get async throws { try await read { $0.listener.tls?.certificate } }
    }

    package var condition: PrinterCondition {
        get async throws { try await read { $0.model.condition } }
    }

    /// The number of open connections.
    package var connectionCount: Int {
        get async throws { try await read { $0.listener.connectionCount } }
    }

    /// The number of injected faults that no response has had yet.
    package var pendingFaultCount: Int {
        get async throws { try await read { $0.pendingFaultCount } }
    }

    /// The number of subscriptions that the printer keeps.
    package var subscriptionCount: Int {
        get async throws { try await read { $0.subscriptionCount } }
    }

    /// The number of requests that wait for an event.
    package var waitingRequests: Int {
        get async throws { try await read { $0.eventWaitCount } }
    }

    /// Goes off the network and ends. The printer cannot be used afterwards.
    package func stop() async throws {
        try await server.eventLoop.submit { [server] in server.value.stop() }.get()
        try await group.shutdownGracefully()
    }

    private func read<Value: Sendable>(_ body: @escaping @Sendable (PrinterServer) -> Value) async throws -> Value {
        try await server.eventLoop.submit { [server] in body(server.value) }.get()
    }
}

extension PrinterServer {
    fileprivate convenience init(
        loop: any EventLoop, folder: String, _ options: SimulatedPrinter.Options,
        onEvent: @escaping @Sendable (PrinterEvent) -> Void
    ) throws {
        var access = AccessRequirements()
        if let tls = options.tls {
            access.security = tls.byUpgrade ? .upgrade : .tls
            if tls.clientCAFile != nil { access.authentication = "certificate" }
        }
        if let login = options.login { access.authentication = login.keyword }
        let tls = try options.tls.map { try PrinterTLS($0, folder: folder) }
        let listener = try PrinterListener(loop: loop, port: options.port, tls: tls)
        let identity = PrinterIdentity(
            name: options.name, location: options.location, uuid: UUID().uuidString.lowercased(), port: listener.port,
            startedAt: Timestamp(millisecondsSince1970: Int64(Date().timeIntervalSince1970 * 1000)), access: access)
        let service = PrinterService(kind: options.kind, identity: identity, condition: options.condition)
        self.init(listener: listener, folder: folder, service: service, login: options.login, onEvent: onEvent)
    }
}

/// Why the simulation cannot go on, in words for people.
package struct SimulatedPrinterError: Error, Hashable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }

    static func errno(_ operation: String, _ path: String, _ code: Int32) -> SimulatedPrinterError {
        SimulatedPrinterError("\(operation) \(path): \(String(cString: strerror(code)))")
    }
}
