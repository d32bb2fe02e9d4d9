import FoundationEssentials
import Glibc
import NIOCore
import NIOPosix
package import PrintModel

/// An IPP printer on loopback that takes jobs, can be told to fail in many ways, and keeps what it got. Runs on a
/// thread of its own from `start` until `stop`, or until the last reference to it goes.
package final class SimulatedPrinter: Sendable {
    package struct Options: Sendable {
        package var kind = PrinterKind.receipt
        package var name = "Simulated printer"
        package var location = "Loopback"
        /// 0 takes any free port.
        package var port = 0
        /// Where documents are kept; nil keeps them in a temporary folder until the printer stops.
        package var folder: String?
        package var condition = PrinterCondition()
        /// Nil serves without TLS.
        package var tls: PrinterTLSOptions?
        /// Nil serves everybody.
        package var login: PrinterLogin?

        package init() {}
        package init(_ kind: PrinterKind) { self.kind = kind }
    }

    package let kind: PrinterKind
    package let port: Int
    package let uri: String
    private let group: MultiThreadedEventLoopGroup
    private let core: NIOLoopBound<PrinterCore>
    private let spool: SpoolFolder

    /// Starts a printer and returns once it listens. `onEvent` is called on the printer's own thread, in order; it must
    /// not wait.
    package static func start(
        _ options: Options = Options(), onEvent: @escaping @Sendable (PrinterEvent) -> Void = { _ in }
    ) async throws -> SimulatedPrinter {
        let spool = try SpoolFolder(options.folder)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let core: NIOLoopBound<PrinterCore>
        do {
            core = try await loop.submit {
                NIOLoopBound(
                    try PrinterCore(loop: loop, folder: spool.path, options, onEvent: onEvent), eventLoop: loop)
            }.get()
            try await loop.flatSubmit { core.value.listen() }.get()
        } catch {
            try? await group.shutdownGracefully()
            if let error = error as? SimulatedPrinterError { throw error }
            let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
            throw SimulatedPrinterError(
                "The simulated printer cannot listen on port \(options.port) of localhost: \(reason). Choose another one, or 0."
            )
        }
        let identity = try await loop.submit { core.value.service.identity }.get()
        return SimulatedPrinter(kind: options.kind, identity: identity, group: group, core: core, spool: spool)
    }

    private init(
        kind: PrinterKind, identity: PrinterIdentity, group: MultiThreadedEventLoopGroup,
        core: NIOLoopBound<PrinterCore>, spool: SpoolFolder
    ) {
        self.kind = kind
        port = identity.port
        uri = identity.uri
        self.group = group
        self.core = core
        self.spool = spool
    }

    deinit { group.shutdownGracefully { _ in } }

    /// Where documents are kept.
    package var folder: String { spool.path }

    /// Does something to the printer; returns when it is done.
    package func perform(_ command: PrinterCommand) async throws {
        try await core.eventLoop.flatSubmit { [core] in core.value.perform(command) }.get()
    }

    /// The documents that arrived so far, in the order in which they ended.
    package var documents: [ReceivedDocument] {
        get async throws { try await read { $0.documents } }
    }

    /// What came out on paper so far, in order.
    package var paper: [PaperRecord] {
        get async throws { try await read { $0.paper } }
    }

    /// The jobs that the printer remembers, by rising id.
    package var jobs: [SimulatedJob] {
        get async throws { try await read { $0.service.model.jobs } }
    }

    /// What it shows new connections; nil without TLS.
    package var certificate: Certificate? {
        get async throws { try await read { $0.tls?.certificate } }
    }

    package var condition: PrinterCondition {
        get async throws { try await read { $0.service.model.condition } }
    }

    /// Connections that are open now.
    package var connectionCount: Int {
        get async throws { try await read { $0.connections.count } }
    }

    /// Subscriptions that the printer keeps now.
    package var subscriptionCount: Int {
        get async throws { try await read { $0.service.subscriptions.all.count } }
    }

    /// Requests that wait for an event now.
    package var waitingRequests: Int {
        get async throws { try await read { $0.waits.count } }
    }

    /// Goes off the network and ends; nothing can be asked afterwards.
    package func stop() async throws {
        try await core.eventLoop.submit { [core] in
            core.value.stopTimer()
            core.value.goOffline()
        }.get()
        try await group.shutdownGracefully()
    }

    private func read<Value: Sendable>(_ body: @escaping @Sendable (PrinterCore) -> Value) async throws -> Value {
        try await core.eventLoop.submit { [core] in body(core.value) }.get()
    }
}

extension PrinterCore {
    fileprivate convenience init(
        loop: any EventLoop, folder: String, _ options: SimulatedPrinter.Options,
        onEvent: @escaping @Sendable (PrinterEvent) -> Void
    ) throws {
        var access = PrinterAccess()
        if let tls = options.tls {
            access.security = tls.byUpgrade ? .upgrade : .tls
            if tls.clientCAFile != nil { access.authentication = "certificate" }
        }
        if let login = options.login { access.authentication = login.keyword }
        let identity = PrinterIdentity(
            name: options.name, location: options.location, uuid: UUID().uuidString.lowercased(), port: options.port,
            startedAt: Timestamp(millisecondsSince1970: Int64(Date().timeIntervalSince1970 * 1000)), access: access)
        let service = PrinterService(kind: options.kind, identity: identity, condition: options.condition)
        let tls = try options.tls.map { try PrinterTLS($0, folder: folder) }
        self.init(loop: loop, folder: folder, service: service, tls: tls, login: options.login, onEvent: onEvent)
    }
}
