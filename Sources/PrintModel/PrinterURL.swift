/// The saved identity of a printer, as an admin writes it and a transport reads it.
///
///     ipp://host[:631]/ipp/print        ipps://host[:631]/ipp/print
///     ssh+lpr://user@host[:22]/queue    usb://Maker/Model?serial=S
///
/// Two URLs are equal when they name the same printer: letter case of scheme and host, the scheme's default
/// port and a missing IPP path make no difference. A URL never holds a password; parsing refuses one.
public struct PrinterURL: Hashable, Sendable {
    public let scheme: Scheme
    /// The login on the remote host; only `ssh+lpr` has one, and must.
    public let user: String?
    /// Lower-cased host name or address (IPv6 without its brackets). For `usb` the maker, in its own letter case.
    public let host: String
    /// Nil when it is the scheme's default port.
    public let port: Int?
    /// What stands after the host, percent-encoded, with its leading slash.
    public let path: String
    /// What stands after `?`, percent-encoded, without the question mark; only `usb` has one.
    public let query: String?

    /// The port to connect to; nil for a scheme without ports.
    public var effectivePort: Int? { port ?? scheme.defaultPort }

    /// The `host:port` form that HTTP's `Host` field and messages use (RFC 3986 §3.2).
    public var authority: String {
        let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return port.map { "\(name):\($0)" } ?? name
    }
}

extension PrinterURL {
    /// The part before `://`; it selects the transport.
    public struct Scheme: Hashable, Sendable, CustomStringConvertible {
        public let name: String
        public var description: String { name }

        public static let ipp = Scheme(name: "ipp")
        public static let ipps = Scheme(name: "ipps")
        public static let sshLpr = Scheme(name: "ssh+lpr")
        public static let usb = Scheme(name: "usb")
        public static let known: [Scheme] = [.ipp, .ipps, .sshLpr, .usb]

        /// RFC 3510 and RFC 7472 give `ipp` and `ipps` port 631.
        public var defaultPort: Int? {
            switch self {
            case .ipp, .ipps: 631
            case .sshLpr: 22
            default: nil
            }
        }
    }
}

extension PrinterURL: CustomStringConvertible {
    public var description: String {
        var text = "\(scheme.name)://"
        if let user { text += "\(PercentEncoding.encode(user, keeping: PercentEncoding.isUnreserved))@" }
        text += scheme == .usb ? PercentEncoding.encode(host, keeping: PercentEncoding.isRegisteredName) : authority
        text += path
        if let query { text += "?\(query)" }
        return text
    }
}

extension PrinterURL: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            try self.init(container.decode(String.self))
        } catch let error as PrinterURLError {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
