import CKioskAvahi
import Glibc
import KioskAsyncPrimitives
import Synchronization

/// Browses DNS-SD through Avahi's daemon: on a thread of its own, since libdbus blocks while it calls the daemon.
final class AvahiBrowser: Sendable {
    /// What the search tells: services, and why there are none or not all.
    enum Event: Sendable {
        case service(DNSSDService)
        case note(String)
    }

    private let isStopped = Atomic(false)
    private let hasBegun = Atomic(false)

    /// Why nothing can have been found so far; nil where the daemon has answered, or a note says why not.
    var silence: String? {
        guard !hasBegun.load(ordering: .relaxed) else { return nil }
        return
            "Avahi's daemon has not answered, so printers that announce themselves by DNS-SD are not found; look for longer (--for 10s), or restart it: systemctl restart avahi-daemon"
    }

    /// The threads that have not ended: one that a daemon keeps waiting ends with libdbus's timeout of 25 s.
    private static let running = Atomic(0)
    private static let maximumRunning = 8

    /// Starts to browse. `report` is called on the browser's thread, until `stop` is called or the browser fails.
    func start(report: @escaping @Sendable (Event) -> Void) {
        guard Self.running.add(1, ordering: .relaxed).newValue <= Self.maximumRunning else {
            Self.running.subtract(1, ordering: .relaxed)
            // What `silence` says holds.
            return
        }
        let thread = WorkerThread("avahi") {
            if let reason = self.browse(report) {
                report(.note(reason))
                self.hasBegun.store(true, ordering: .relaxed)
            }
            Self.running.subtract(1, ordering: .relaxed)
        }
        if let thread { return thread.detach() }
        Self.running.subtract(1, ordering: .relaxed)
        report(.note("the system has no thread left to browse DNS-SD with; try again"))
        hasBegun.store(true, ordering: .relaxed)
    }

    func stop() { isStopped.store(true, ordering: .relaxed) }

    /// How often the thread looks whether it is to stop.
    private static let pollMilliseconds: Int32 = 50

    /// Browses until it is stopped. Returns why it could not.
    private func browse(_ report: @escaping @Sendable (Event) -> Void) -> String? {
        guard let library = AvahiLibrary.shared else {
            return "libavahi-client3 is not installed, so printers that announce themselves by DNS-SD are not found;"
                + " install libavahi-client3 and avahi-daemon"
        }
        guard let session = AvahiSession(library) else { return "there is no memory left to browse DNS-SD with" }
        defer { session.close() }
        session.report = report
        if let failure = session.open() { return failure }
        hasBegun.store(true, ordering: .relaxed)
        while !isStopped.load(ordering: .relaxed) {
            guard session.iterate(Self.pollMilliseconds) else { return session.failure }
        }
        return nil
    }
}

/// Avahi's client library, loaded when it is first used and kept.
private struct AvahiLibrary: @unchecked Sendable {
    // Pointers to functions of a library that is never unloaded.
    let functions: cavahi_library

    private static let loaded = Mutex<AvahiLibrary?>(nil)

    /// Nil while the library is not installed; it is looked for anew each time then.
    static var shared: AvahiLibrary? {
        loaded.withLock { loaded in
            if let loaded { return loaded }
            var functions = cavahi_library()
            if cavahi_load(&functions) != 0 { loaded = AvahiLibrary(functions: functions) }
            return loaded
        }
    }
}

/// A connection to Avahi's daemon, with browsers and resolvers. For one thread.
private final class AvahiSession {
    private let library: cavahi_library
    private let poll: OpaquePointer
    private var client: OpaquePointer?
    private var resolvers: Set<OpaquePointer> = []
    /// The services that are resolved when others have been: the daemon limits the resolvers of one client.
    private var waiting: [Service] = []
    /// The services that were announced: more than this are a flood.
    private var announced = 0
    private(set) var failure: String?
    var report: (AvahiBrowser.Event) -> Void = { _ in }

    /// What the daemon's browser tells of a service.
    private struct Service {
        var interface: AvahiIfIndex
        var family: AvahiProtocol
        var name: String
        var type: String
        var domain: String
    }

    /// A printer announces up to four services, each over IPv4 and IPv6, on each interface.
    private static let maximumAnnounced = 4096
    /// The daemon has a limit of 1024 objects for each client (avahi-daemon.conf(5), objects-per-client-max).
    private static let maximumPending = 256

    init?(_ library: AvahiLibrary) {
        self.library = library.functions
        guard let poll = self.library.simple_poll_new() else { return nil }
        self.poll = poll
    }

    /// Connects and browses. Returns why it cannot. The session must not move or go before `close`.
    func open() -> String? {
        var error: Int32 = 0
        let this = Unmanaged.passUnretained(self).toOpaque()
        client = library.client_new(
            library.simple_poll_get(poll), AvahiClientFlags(rawValue: 0),
            { client, state, context in
                guard let context, state == AVAHI_CLIENT_FAILURE else { return }
                let session = Unmanaged<AvahiSession>.fromOpaque(context).takeUnretainedValue()
                session.failure = session.reason(session.library.client_errno(client))
            }, this, &error)
        guard let client else { return reason(error) }
        for type in DNSSDService.types {
            let browser = library.service_browser_new(
                client, AVAHI_IF_UNSPEC_INDEX, AVAHI_PROTO_UNSPEC_FAMILY, type, nil, AvahiLookupFlags(rawValue: 0),
                { _, interface, family, event, name, type, domain, _, context in
                    guard event == AVAHI_BROWSER_NEW, let context, let name, let type, let domain else { return }
                    Unmanaged<AvahiSession>.fromOpaque(context).takeUnretainedValue()
                        .announced(
                            Service(
                                interface: interface, family: family, name: String(cString: name),
                                type: String(cString: type), domain: String(cString: domain)))
                }, this)
            guard browser != nil else { return reason(library.client_errno(client)) }
        }
        return failure
    }

    /// Waits for events and handles them; false once the daemon has gone.
    func iterate(_ milliseconds: Int32) -> Bool {
        library.simple_poll_iterate(poll, milliseconds) == 0 && failure == nil
    }

    /// Gives everything back; the client's browsers and resolvers go with it.
    func close() {
        if let client { library.client_free(client) }
        client = nil
        library.simple_poll_free(poll)
    }

    private func announced(_ service: Service) {
        announced += 1
        if announced <= Self.maximumAnnounced { return resolve(service) }
        guard announced == Self.maximumAnnounced + 1 else { return }
        report(
            .note(
                "more than \(Self.maximumAnnounced) services are announced by DNS-SD; printers among the rest are not shown"
            ))
    }

    private func resolve(_ service: Service) {
        guard let client else { return }
        guard resolvers.count < Self.maximumPending else { return waiting.append(service) }
        let resolver = library.service_resolver_new(
            client, service.interface, service.family, service.name, service.type, service.domain,
            AVAHI_PROTO_UNSPEC_FAMILY, AvahiLookupFlags(rawValue: 0),
            { resolver, interface, _, event, name, type, _, host, address, port, text, _, context in
                guard let context, let resolver else { return }
                let session = Unmanaged<AvahiSession>.fromOpaque(context).takeUnretainedValue()
                if event == AVAHI_RESOLVER_FOUND, let name, let type, let host, let address {
                    session.found(
                        String(cString: name), String(cString: type), String(cString: host), address, interface, port,
                        text)
                }
                session.resolvers.remove(resolver)
                _ = session.library.service_resolver_free(resolver)
                session.resolveNext()
            }, Unmanaged.passUnretained(self).toOpaque())
        if let resolver { resolvers.insert(resolver) }
    }

    private func resolveNext() {
        while !waiting.isEmpty, resolvers.count < Self.maximumPending { resolve(waiting.removeFirst()) }
    }

    private func found(
        _ name: String, _ type: String, _ host: String, _ address: UnsafePointer<AvahiAddress>,
        _ interface: AvahiIfIndex,
        _ port: UInt16, _ text: UnsafeMutablePointer<AvahiStringList>?
    ) {
        var buffer = [CChar](repeating: 0, count: 64)
        guard library.address_snprint(&buffer, buffer.count, address) != nil else { return }
        var address = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if address.lowercased().hasPrefix("fe80:") {
            guard let zone = Self.interfaceName(interface) else { return }
            address += "%\(zone)"
        }
        report(
            .service(
                DNSSDService(
                    name: name, type: type, hostName: host, address: address, port: Int(port), text: strings(text))))
    }

    /// The strings of a TXT record, each of 255 bytes at most (RFC 6763 §6.1). Avahi lists them from the last to the
    /// first.
    private func strings(_ list: UnsafeMutablePointer<AvahiStringList>?) -> [[UInt8]] {
        var strings: [[UInt8]] = []
        var next = list
        while let string = next, strings.count < DNSSDService.maximumKeys {
            let length = min(library.string_list_get_size(string), 255)
            if let text = library.string_list_get_text(string) {
                strings.append(Array(UnsafeBufferPointer(start: text, count: length)))
            }
            next = library.string_list_get_next(string)
        }
        return strings
    }

    private static func interfaceName(_ index: AvahiIfIndex) -> String? {
        guard let number = UInt32(exactly: index) else { return nil }
        var name = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
        guard if_indextoname(number, &name) != nil else { return nil }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private func reason(_ error: Int32) -> String {
        guard error != AVAHI_ERR_NO_DAEMON, error != AVAHI_ERR_DBUS_ERROR, error != AVAHI_ERR_DISCONNECTED else {
            return "Avahi's daemon is not running, so printers that announce themselves by DNS-SD are not found;"
                + " install avahi-daemon, and start it: systemctl enable --now avahi-daemon"
        }
        let words = library.strerror(error).map { String(cString: $0) } ?? "error \(error)"
        return "Avahi's daemon cannot be asked (\(words)); look into its log: journalctl -u avahi-daemon"
    }
}

// Avahi has these as macros with a cast, which Swift does not read.
private let AVAHI_IF_UNSPEC_INDEX: AvahiIfIndex = -1
private let AVAHI_PROTO_UNSPEC_FAMILY: AvahiProtocol = -1
