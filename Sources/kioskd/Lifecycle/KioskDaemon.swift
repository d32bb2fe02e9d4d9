import Glibc
import KioskAPI
import KioskAccess
import KioskAsyncPrimitives
import KioskDiscovery
import KioskDocumentPrinting
import KioskDrawingService
import KioskDurableFiles
import KioskEngine
import KioskFleetAgent
import KioskIPP
import KioskLPD
import KioskMetrics
import KioskPrintModel
import KioskPrinterRegistry
import KioskReceiptPrinting
import KioskRenderingService
import KioskSNMP
import KioskSSHLpr
import KioskSerial
import KioskSocket
import KioskUSB
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// The composition root: the one place that knows every module and joins them into a running daemon.
struct KioskDaemon {
    let options: DaemonOptions
    let paths: DaemonPaths
    /// Those that the service manager passed.
    let sockets: PassedSockets
    let supervision: Supervision
    let logger: Logger
    /// The time after which the daemon starts anew once damage was found.
    let restartDelayAfterDamage: Duration
    /// What goes over the wire to printers: told by the engine and the transports, heard by the API and the log.
    let trace = WireTrace()

    /// Running deliveries and requests get this long after SIGTERM; what is cut off then is taken up at the next start.
    private static let shutdownTimeout: Duration = .seconds(2)

    /// Runs until a signal asks it to stop; throws `storage-damaged` where a new start would recover the queue.
    func run(until stop: StopSignals) async throws {
        let descriptors = ProcessSetup.apply()
        let rights = try rights()
        let access = try accessRules()
        let membership = try options.fleet.membership()
        let partner = try options.partner.partner(fleetNode: membership?.node)
        try makeFolders(group: rights.group)
        let profiles = try Profiles.load(options.profiles)
        let registry = await RegistryStore(path: paths.registry, profiles: profiles)
        let loggedTrace = logTrace()
        defer { loggedTrace?.stop() }
        let secrets = SecretStore(paths)
        let knownSecrets = await secrets.snapshot()
        let bus = USBBus(
            vendorPrinters: profiles?.usbVendorPrinters ?? [],
            detachedDrivers: DetachedDrivers(path: "\(paths.stateDirectory)/usb-detached-drivers"), logger: logger)
        var drawingSettings = DrawingSettings()
        drawingSettings.user = try options.drawUser.map { try drawingUser(named: $0) }
        let drawing = DrawingService(program: DrawingService.siblingProgram(), settings: drawingSettings)
        let printing = PrintingLookup(profiles)
        var renderingSettings = RenderingSettings()
        renderingSettings.user = drawingSettings.user
        let rendering = RenderingService(program: RenderingService.siblingProgram(), settings: renderingSettings)
        let pages = PagePreparation(
            settings: { printing.pageSettings(for: $0) }, printing: { printing.settings(for: $0) },
            service: rendering, folder: paths.stateDirectory)
        let receipts = ReceiptPreparation(settings: { printing.settings(for: $0) }, drawing: drawing)
        let measurements = PrometheusFactory()
        let engineMetrics = EngineMetrics(factory: measurements)
        let engine = try await makeEngine(
            registry, secrets, profiles, bus, preparation: DocumentPreparations([receipts, pages]),
            observer: engineMetrics)
        // The engine has locked the state directory, and opens no printer before it runs.
        await bus.giveBackDrivers()
        let place =
            if let local = sockets.local { SocketPlace(inherited: local, rights: rights) } else {
                try SocketPlace(paths.socket, rights: rights)
            }
        let network = try networkAccess()
        var partnership: Partnership?
        if let partner {
            partnership = try await Partnership(
                with: partner, engine: engine, registry: registry, tokens: network.tokens,
                stateDirectory: paths.stateDirectory, logger: logger)
        }
        let door = options.network.door(
            in: paths.stateDirectory, passed: Array(sockets.network.keys), descriptors: descriptors,
            tokens: network.tokens, logger: logger)
        let router = APIRoutes.router(
            engine: engine, registry: registry, maximumDocumentLength: options.maxDocumentSize.rawValue,
            administrators: access.administrators, access: access, printing: { printing.settings(for: $0) },
            drawing: drawing, pages: pages, discovery: discovery(on: bus, profiles), trace: trace,
            network: network, door: door,
            metrics: metrics(measurements, engineMetrics, engine, registry, drawing, rendering),
            backup: backupPlaces(secrets, door), fleet: membership, partnership: partnership
        )
        let idleTimeout = TimeAmount.seconds(Int64(options.idleTimeout))
        let limits = CallerLimits(idleTimeout: idleTimeout, descriptors: descriptors)
        let responder = APIResponder(router: router, network: network, logger: logger)
        let server = SocketService(
            place: place, inherited: sockets.local, idleTimeout: idleTimeout, limits: limits, responder: responder,
            logger: logger
        ) { [supervision] in await supervision.ready() }
        let networkService = door.map { door in
            NetworkService(
                listeners: options.network.listen, inherited: sockets.network, door: door, idleTimeout: idleTimeout,
                limits: limits, responder: responder, logger: logger)
        }
        let fleet = membership.map { membership in
            FleetService(
                membership: membership, stateDirectory: paths.stateDirectory, engine: engine,
                editor: RegistryEditor(engine: engine, store: registry, audit: network.audit),
                health: { [partnership] in
                    let pair = await partnership?.checks() ?? []
                    return await engine.health().adding(
                        (membership.configuration?.state.checks() ?? []) + membership.contact.loginChecks() + pair)
                },
                logger: logger)
        }
        var outer: [ServiceGroupConfiguration.ServiceConfiguration] = []
        if let networkService { outer.append(.init(service: networkService, serviceName: "network")) }
        if let fleet { outer.append(.init(service: fleet, serviceName: "fleet")) }
        if let partnership { outer.append(.init(service: partnership, serviceName: "partner")) }
        // Ended in the reverse order: first no more requests, then the engine. Each has a name: else the group prints each
        // with all that it holds, which is a tenth of the start.
        var configuration = ServiceGroupConfiguration(
            services: [
                .init(
                    service: EngineService(engine: engine, mirror: partnership?.mirror),
                    failureTerminationBehavior: .gracefullyShutdownGroup, serviceName: "engine"),
                .init(
                    service: ReloadService(registry: registry, supervision: supervision, logger: logger),
                    serviceName: "reload"),
                .init(
                    service: SecretsService(secrets: secrets, known: knownSecrets, engine: engine, logger: logger),
                    serviceName: "secrets"),
                .init(service: MemoryService(), serviceName: "memory"),
                .init(service: server, serviceName: "socket"),
            ] + outer + [
                .init(
                    service: WatchdogService(supervision: supervision, engine: engine, stop: stop),
                    serviceName: "watchdog"),
                .init(service: stop, successTerminationBehavior: .gracefullyShutdownGroup, serviceName: "stop"),
            ],
            logger: logger
        )
        configuration.maximumGracefulShutdownDuration = Self.shutdownTimeout
        let recentFormats = await recentFormats(engine)
        let warming = Task { if recentFormats.contains(where: \.isReceipt) { await warmUp(drawing) } }
        // Text is mostly printed as it came.
        if !recentFormats.isDisjoint(with: pages.formats.subtracting([.plainText])) { rendering.keepSpare(true) }
        defer { warming.cancel() }
        let end: Result<Void, any Error>
        await stop.watch()
        do { end = .success(try await ServiceGroup(configuration: configuration).run()) } catch {
            end = .failure(error)
        }
        await network.tokens.flush()
        await network.audit.finish(at: .now)
        await drawing.shutDown()
        await rendering.shutDown()
        await bus.shutDown()
        try end.get()
        logger.notice("stopped")
    }

    /// Once the engine has locked the state directory.
    private func networkAccess() throws -> NetworkAccess {
        NetworkAccess(
            tokens: try TokenStore(stateDirectory: paths.stateDirectory, logger: logger), sessions: SessionStore(),
            codes: LoginCodes(), audit: try AuditLog(stateDirectory: paths.stateDirectory, logger: logger, at: .now))
    }

    private func backupPlaces(_ secrets: SecretStore, _ door: NetworkDoor?) -> BackupPlaces {
        BackupPlaces(
            secrets: secrets, registryFolder: Folder.parent(of: paths.registry),
            certificateFolder: options.network.givenCertificate == nil ? "\(paths.stateDirectory)/tls" : nil,
            refreshCertificate: { door?.certificate?.reload() })
    }

    private func metrics(
        _ measurements: PrometheusFactory, _ engineMetrics: EngineMetrics, _ engine: PrintEngine,
        _ registry: RegistryStore, _ drawing: DrawingService, _ rendering: RenderingService
    ) -> MetricsPage {
        let startTime = Double(Timestamp.now.millisecondsSince1970) / 1000
        return MetricsPage(measurements, engineMetrics, engine: engine) {
            MetricsPage.Surroundings(
                version: Version.text, startTime: startTime, registryVersion: await registry.newestVersion,
                helperFailures: [
                    DrawingService.programName: drawing.failureCount,
                    RenderingService.programName: rendering.failureCount,
                ])
        }
    }

    private func discovery(on bus: USBBus, _ profiles: ProfileLibrary?) -> PrinterDiscovery {
        PrinterDiscovery(
            usb: USBDiscovery(bus: bus), network: NetworkDiscovery(group: MultiThreadedEventLoopGroup.singleton),
            profile: { profiles?.printing(for: PrinterIdentity(makeAndModel: $0))?.profile.name })
    }

    /// Logs every line of the trace until the listener is stopped; only with `--log-level trace`.
    private func logTrace() -> WireTrace.Listener? {
        guard logger.logLevel == .trace else { return nil }
        let logger = logger
        return trace.listen { line in
            var metadata: Logger.Metadata = ["source": "\(line.source.rawValue)"]
            if let printer = line.printer { metadata["printer"] = "\(printer)" }
            logger.trace("\(line.message)", metadata: metadata)
        }
    }

    /// The formats of the last jobs, which tell what will be printed.
    private func recentFormats(_ engine: PrintEngine) async -> Set<DocumentFormat> {
        do {
            return Set(try await engine.jobs(JobFilter(limit: Self.recentJobs)).map(\.format))
        } catch {
            logger.warning("the last jobs cannot be read: \(error)")
            return []
        }
    }

    /// Where receipts are printed that the engine lays out, what draws for them is ready before the next one comes: its
    /// start takes some tenths of a second. Elsewhere its memory is saved.
    private func warmUp(_ drawing: DrawingService) async {
        do throws(DrawingError) {
            try await drawing.warmUp()
        } catch  where [.canceled, .shutDown].contains(error.code) {
            return
        } catch {
            logger.warning("\(DrawingService.programName) is not ready: \(error)")
        }
    }

    private static let recentJobs = 100

    private func makeEngine(
        _ registry: RegistryStore, _ secrets: SecretStore, _ profiles: ProfileLibrary?, _ bus: USBBus,
        preparation: DocumentPreparations, observer: any EngineObserver
    ) async throws -> PrintEngine {
        var configuration = EngineConfiguration(stateDirectory: paths.stateDirectory)
        configuration.maximumDocumentLength = options.maxDocumentSize.rawValue
        configuration.restartDelayAfterDamage = restartDelayAfterDamage
        let ipp = IPPTransport(
            credentials: secrets, quirks: { profiles?.quirks(for: $0) ?? [] },
            group: MultiThreadedEventLoopGroup.singleton, trace: trace, logger: logger
        )
        // On an event loop of its own: a key with a passphrase holds one up while it is opened.
        let sshLpr = SSHLprTransport(
            credentials: secrets, settings: { profiles?.lprSettings(named: $0) ?? LprSettings() },
            trace: trace, logger: logger
        )
        let dialer = IPPOverUSBDialer(
            bus, settings: { profiles?.deviceSettings(for: $0).usb ?? USBSettings() }, trace: trace, logger: logger)
        let ippOverUSB = IPPTransport(
            credentials: secrets, dialer: dialer, quirks: { profiles?.quirks(for: $0) ?? [] },
            group: MultiThreadedEventLoopGroup.singleton, trace: trace, logger: logger
        )
        let usb = USBTransport(
            bus: bus, forwarding: IPPForwarding(ippOverUSB, over: dialer, on: bus),
            settings: { profiles?.deviceSettings(for: $0) ?? DeviceSettings() }, trace: trace
        )
        let socket = SocketTransport(
            settings: { profiles?.deviceSettings(for: $0) ?? DeviceSettings() },
            group: MultiThreadedEventLoopGroup.singleton, trace: trace)
        let serial = SerialTransport(
            settings: { profiles?.deviceSettings(for: $0) ?? DeviceSettings() }, trace: trace)
        let lpd = LPDTransport(
            group: MultiThreadedEventLoopGroup.singleton, trace: trace, logger: logger)
        let withAgents = [socket as any Transport, lpd].map { monitored($0, profiles) }
        do {
            return try await PrintEngine(
                configuration: configuration, registry: registry,
                transports: [ipp, sshLpr, usb, serial] + withAgents, credentials: secrets,
                preparation: preparation,
                trace: trace, observer: observer, logger: logger
            )
        } catch let error as EngineError where error.code == .stateDirectoryInUse {
            throw StartError(.inUse, error.message)
        }
    }

    /// Wraps a transport so that office printers' SNMP agents are queried too. Printers whose profile sets a language
    /// or is for receipts or labels are left out: they report more over their own protocol.
    private func monitored(_ transport: any Transport, _ profiles: ProfileLibrary?) -> SNMPMonitoredTransport {
        SNMPMonitoredTransport(
            transport,
            community: { printer in
                // Behind other ports stand a print server's further printers, for which its agent may not speak.
                guard printer.url.scheme != .socket || [nil, 9100].contains(printer.url.port) else { return nil }
                let identity = PrinterIdentity(profile: printer.profile)
                let settings = profiles?.deviceSettings(for: identity) ?? DeviceSettings()
                let jobTypes = printer.profile.flatMap { profiles?.profile(named: $0)?.jobTypes } ?? []
                guard settings.language == nil, jobTypes.isDisjoint(with: [.receipt, .label]) else { return nil }
                return switch settings.snmp {
                case .off: nil
                case .community(let name): name
                case nil: SNMPMonitoredTransport.defaultCommunity
                }
            },
            group: MultiThreadedEventLoopGroup.singleton, trace: trace)
    }

    private func rights() throws -> SocketPlace.Rights {
        SocketPlace.Rights(
            mode: options.socketMode,
            group: try options.socketGroup.map { try groupNumber(of: $0, option: "--socket-group") })
    }

    private func accessRules() throws -> AccessRules {
        func number(_ group: String?, _ option: String) throws -> gid_t? {
            try group.map { try groupNumber(of: $0, option: option) }
        }
        var access = AccessRules(administrators: Administrators(group: try number(options.adminGroup, "--admin-group")))
        access.drawerGroup = try number(options.drawerGroup, "--drawer-group")
        access.commandGroup = try number(options.commandGroup, "--command-group")
        access.rawGroup = try number(options.rawGroup, "--raw-group")
        access.operatorGroup = try number(options.operatorGroup, "--operator-group")
        if let group = try number(options.sharedQueueGroup, "--shared-queue-group") {
            access.sharedQueue = .group(group)
        }
        if options.sharedQueue { access.sharedQueue = .everybodys }
        return access
    }

    /// The directory that `--state-dir` names holds the socket too, so whoever may connect must be able to enter it;
    /// the files in it are ours alone.
    private func makeFolders(group: gid_t?) throws(StartError) {
        let isNew = access(paths.stateDirectory, F_OK) != 0
        umask(0o027)
        do {
            try Folder.create(paths.stateDirectory)
        } catch {
            throw .system(
                "cannot make the state directory", error.path, error.errno, next: "name another with --state-dir")
        }
        umask(0o077)
        if let group, isNew, paths.socket.origin == .stateDirectory {
            try SocketFolder(ofSocket: paths.socket.path).give(to: group)
        }
        guard access(paths.stateDirectory, R_OK | W_OK | X_OK) == 0 else {
            throw .system(
                "cannot write in", paths.stateDirectory, errno,
                next: "give it to this user, or name another with --state-dir")
        }
    }
}
