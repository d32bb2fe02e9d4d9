import ArgumentParser
import Glibc
import KioskFleet
import KioskTerminal

/// The options that name the hub, and how to come in.
struct HubOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The hub's servers, such as tls://hub.example:4222: separated by commas, or one --hub for each (default: $KIOSK_FLEET_HUB).",
            valueName: "url"))
    var hub: [String] = []

    @Option(
        help: ArgumentHelp(
            "Log in with this file of a user JWT and an NKey's seed, which nobody else may read.", valueName: "file"),
        completion: .file())
    var credentials: String?

    @Option(
        help: ArgumentHelp(
            "Trust a hub whose certificate these authorities have signed, a PEM file (beside the system's).",
            valueName: "file"),
        completion: .file())
    var authorities: String?

    @Option(help: ArgumentHelp("Seconds to wait for the hub at most.", valueName: "seconds"))
    var timeout = 10

    private static let environmentKey = "KIOSK_FLEET_HUB"

    func validate() throws {
        guard (1...3600).contains(timeout) else {
            throw ValidationError("--timeout is \(timeout); write seconds from 1 to 3600.")
        }
        let address = try address()
        guard authorities == nil || address.isSecure else {
            throw ValidationError("--authorities is for TLS; write the hub as tls://host:4222.")
        }
    }

    private func address() throws -> HubAddress {
        var (name, texts) = ("--hub", hub)
        if texts.isEmpty {
            name = "$\(Self.environmentKey)"
            texts = getenv(Self.environmentKey).map { [String(cString: $0)] } ?? []
        }
        guard texts.contains(where: { !$0.isEmpty }) else {
            throw ValidationError("Name the hub, with --hub tls://hub.example:4222 or in $\(Self.environmentKey).")
        }
        do {
            return try HubAddress(texts)
        } catch {
            throw ValidationError("\(name): \(error)")
        }
    }

    /// How to reach the hub. Throws where a file that is named cannot be used.
    func linkOptions() throws -> NATSLink.Options {
        if let credentials { try Self.check(credentials, of: "the credentials", isPrivate: true) }
        if let authorities { try Self.check(authorities, of: "the authorities", isPrivate: false) }
        return try address().link(as: "kioskctl fleet", credentials: credentials, authorities: authorities)
    }

    /// Runs `body` with the hub, once it is reached.
    func withHub<Result>(_ body: (HubSession) async throws -> Result) async throws -> Result {
        let (address, duration) = (try address(), Duration.seconds(timeout))
        var options = try linkOptions()
        // One server that is silent leaves time for the others.
        options.connectTimeout = min(options.connectTimeout, duration / options.servers.count)
        let link = try await reach(address, options, until: ContinuousClock.now + duration)
        defer { link.close() }
        return try await body(HubSession(link, timeout: duration))
    }

    private static let retryPause: Duration = .milliseconds(500)
    /// A server that has just started may refuse a valid login while it reads its accounts.
    private static let maximumRefusals = 3

    /// A hub that is away or busy is tried again, and so is one that refuses this client, a few times.
    private func reach(
        _ address: HubAddress, _ options: NATSLink.Options, until deadline: ContinuousClock.Instant
    ) async throws -> NATSLink {
        var (last, refusals): (FleetError?, Int) = (nil, 0)
        repeat {
            do {
                guard let link = try await Self.connect(options, until: deadline) else { break }
                return link
            } catch let error as FleetError where error.code == .notConnected {
                last = error
            } catch let error as FleetError where error.code == .notPermitted {
                (last, refusals) = (error, refusals + 1)
                if refusals == Self.maximumRefusals { throw refusal(by: address, error) }
            }
            try await Task.sleep(for: Self.retryPause)
        } while ContinuousClock.now < deadline
        if let last, last.code == .notPermitted { throw refusal(by: address, last) }
        throw CommandFailure(
            message:
                "the hub \(address) cannot be reached within \(timeout) s\(last.map { " (\($0))" } ?? ""); look whether it is running, and at its address",
            code: ExitStatus.unavailable)
    }

    private func refusal(by address: HubAddress, _ error: FleetError) -> CommandFailure {
        CommandFailure(
            message:
                "the hub \(address) answers, and does not let this program in (\(error)): look at its certificate (--authorities, or nats:// without TLS) and at the login (--credentials)",
            code: ExitStatus.unavailable)
    }

    /// Nil once the deadline is over.
    private static func connect(
        _ options: NATSLink.Options, until deadline: ContinuousClock.Instant
    ) async throws -> NATSLink? {
        try await withThrowingTaskGroup(of: NATSLink?.self) { group in
            group.addTask { try await NATSLink.connectOnce(options) }
            group.addTask {
                try await Task.sleep(until: deadline, clock: .continuous)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    /// libnats names neither the file nor what is wrong with it.
    private static func check(_ path: String, of what: String, isPrivate: Bool) throws {
        var status = stat()
        guard stat(path, &status) == 0, access(path, R_OK) == 0 else {
            throw CommandFailure(message: "\(path): \(what) cannot be read: \(String(cString: strerror(errno)))")
        }
        // A pipe is read once, by libnats.
        guard isPrivate, status.st_mode & S_IFMT == S_IFREG else { return }
        guard status.st_mode & 0o007 == 0 else {
            throw CommandFailure(
                message: "\(path): every user of this machine can read \(what); change that with `chmod o= \(path)`",
                code: ExitStatus.noPermission)
        }
        do {
            _ = try KioskLogin(InputFile.read(path, limit: CredentialsFile.maximumLength + 1))
        } catch let error as FleetError {
            throw CommandFailure(message: "\(path): \(error)")
        }
    }
}

/// The options that name a site.
struct SiteOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The site, by its name in the fleet.", valueName: "name"), transform: Self.site)
    var site: SiteName

    /// Reads a site's name.
    @Sendable static func site(_ text: String) throws -> SiteName {
        do {
            return try SiteName(text)
        } catch {
            throw ValidationError("\(error)")
        }
    }
}

/// The option for the form of results.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Write JSON.")
    var json = false
}
