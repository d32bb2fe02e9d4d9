import HTTPTypes
import KioskAPI
import KioskPrintModel
import NIOCore
import Synchronization

/// What all listeners and connections over TCP share: the limits, the certificate, and the names that are answered to.
final class NetworkDoor: Sendable {
    let limits: AddressLimits
    /// Nil where no listener speaks TLS.
    let certificate: ServerCertificate?
    private let hosts: HostRule
    private let machine: MachineNames
    /// Whether a browser till's origin is on the list.
    private let isListedOrigin: @Sendable (String) -> Bool
    private let listeners = Mutex<[ListenAddress: ListenerState]>([:])

    /// What became of a listener.
    enum ListenerState: Hashable, Sendable {
        /// At this address, with the port that the kernel chose where none was named.
        case listening(ListenAddress)
        /// Why it does not listen; it is tried again.
        case failed(String)
    }

    init(
        limits: AddressLimits, certificate: ServerCertificate?, hostNames: [String], machine: MachineNames,
        isListedOrigin: @escaping @Sendable (String) -> Bool = { _ in false }
    ) {
        self.limits = limits
        self.certificate = certificate
        self.machine = machine
        self.isListedOrigin = isListedOrigin
        hosts = HostRule(
            configured: Set(hostNames.compactMap { HostAndPort($0)?.host }), machine: Set(machine.names))
    }

    /// Admits a connection within the limits, until its channel is closed. Called on the channel's event loop; throws
    /// the problem for its client.
    func admit(_ channel: any Channel, isSecure: Bool) throws(Problem) -> NetworkPeer {
        guard let address = RemoteAddress(channel.remoteAddress) else {
            throw Problem(.malformedRequest, detail: "the connection has no address; open it again")
        }
        let place = try limits.open(from: address)
        channel.closeFuture.whenComplete { _ in place.giveBack() }
        let door = HostRule.Door(
            localAddress: RemoteAddress(channel.localAddress)?.description, port: channel.localAddress?.port ?? 0,
            isSecure: isSecure, certificateNames: certificate?.certificate?.names ?? [])
        return NetworkPeer(door: self, address: address, entrance: door)
    }

    fileprivate func isOwnName(_ authority: String, at entrance: HostRule.Door) -> Bool {
        hosts.allows(authority, at: entrance)
    }

    /// The problem of a request that is refused before it is routed; nil for others.
    func refusal(of request: HTTPRequest, from address: RemoteAddress, at entrance: HostRule.Door) -> Problem? {
        do throws(Problem) { try limits.request(from: address) } catch { return error }
        guard hosts.allows(request.authority, at: entrance) else { return misdirected(request.authority) }
        let origin = request.headerFields[.origin]
        let hasToken = request.headerFields[.authorization]?.lowercased().hasPrefix("bearer ") == true
        let isAllowed = CrossOriginRule.allows(
            .init(
                method: request.method.rawValue, host: request.authority,
                secFetchSite: request.headerFields[.secFetchSite], origin: origin,
                isListedWithToken: hasToken && origin.map(isListedOrigin) == true))
        guard !isAllowed else { return nil }
        let shown = origin.map { " (\($0.withoutControlCharacters.prefix(utf8Count: 80)))" } ?? ""
        return Problem(
            .crossOrigin,
            detail:
                "a page of another origin\(shown) may not do this; put its origin on a token's list, and have it send the token"
        )
    }

    private func misdirected(_ authority: String?) -> Problem {
        let shown = (authority ?? "").withoutControlCharacters.prefix(utf8Count: 80)
        return Problem(
            .misdirectedRequest,
            detail:
                "this daemon is not \"\(shown)\"; use this machine's name or address, or start kioskd with --host-name")
    }

    /// Notes what became of a listener; nil where it has ended. Returns what was noted before.
    @discardableResult
    func note(_ state: ListenerState?, of listener: ListenAddress) -> ListenerState? {
        listeners.withLock { listeners in
            defer { listeners[listener] = state }
            return listeners[listener]
        }
    }

    /// The addresses that are listened at.
    private var addresses: [ListenAddress] {
        listeners.withLock { listeners in
            listeners.values.compactMap { if case .listening(let address) = $0 { address } else { nil } }
        }.sorted { $0.description < $1.description }
    }

    /// The description for `GET /v1/server`.
    var information: ServerInformation {
        ServerInformation(
            version: Version.text, addresses: addresses.map(\.description),
            names: certificate?.certificate?.names ?? machine.certificateNames(and: []),
            certificate: certificate?.certificate, isOwnCertificate: certificate?.isOwn)
    }

    /// The findings for the health report.
    func checks(expiryWarning days: Int64 = ServerCertificate.warningDays) -> [HealthReport.Check] {
        let failures = listeners.withLock { listeners in
            listeners.compactMap { address, state -> HealthReport.Check? in
                guard case .failed(let reason) = state else { return nil }
                return HealthReport.Check(
                    code: "not-listening", subject: address.description, status: .warning, message: reason)
            }
        }
        return failures.sorted { ($0.subject ?? "") < ($1.subject ?? "") }
            + (certificate?.checks(warningDays: days) ?? [])
    }
}

/// A listener, as its connections know it.
struct NetworkListener: Sendable {
    let door: NetworkDoor
    let isSecure: Bool
}

/// The other end of a connection over TCP.
struct NetworkPeer: Sendable {
    fileprivate let door: NetworkDoor
    let address: RemoteAddress
    /// Where the connection came in.
    let entrance: HostRule.Door

    fileprivate init(door: NetworkDoor, address: RemoteAddress, entrance: HostRule.Door) {
        self.door = door
        self.address = address
        self.entrance = entrance
    }

    /// Whether a `Host` field names this daemon.
    func isOwnName(_ authority: String) -> Bool { door.isOwnName(authority, at: entrance) }

    /// The problem of a request that is refused before it is routed; nil for others.
    func refusal(of request: HTTPRequest) -> Problem? { door.refusal(of: request, from: address, at: entrance) }

    /// The fields of all responses over TCP, which tell browsers what pages of others may not do with them. A route
    /// that says otherwise is left alone, such as a page with its own policy.
    private static let securityFields: [(HTTPField.Name, String)] = [
        (.xContentTypeOptions, "nosniff"),
        (.contentSecurityPolicy, "default-src 'none'; frame-ancestors 'none'"),
        (.cacheControl, "no-store"),
        (.referrerPolicy, "no-referrer"),
        (.crossOriginOpenerPolicy, "same-origin"),
        (.crossOriginResourcePolicy, "same-origin"),
    ]

    static func addSecurityFields(to fields: inout HTTPFields) {
        for (name, value) in securityFields where !fields.contains(name) {
            fields.append(HTTPField(name: name, value: value))
        }
    }
}

extension HTTPField.Name {
    /// W3C Fetch Metadata.
    fileprivate static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
    /// W3C Referrer Policy.
    fileprivate static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
    /// WHATWG HTML §7.1.3.
    fileprivate static let crossOriginOpenerPolicy = HTTPField.Name("Cross-Origin-Opener-Policy")!
    /// WHATWG Fetch §3.7.
    fileprivate static let crossOriginResourcePolicy = HTTPField.Name("Cross-Origin-Resource-Policy")!
}
