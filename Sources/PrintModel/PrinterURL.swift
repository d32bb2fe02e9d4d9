/// The address of a printer: an admin writes it, a transport reads it.
///
///     ipp://host[:631]/ipp/print        ipps://host[:631]/ipp/print
///     ssh+lpr://user@host[:22]/queue    lpd://host[:515]/queue
///     socket://host[:9100]              usb://Maker/Model?serial=S
///     serial:/dev/serial/by-id/NAME?baud=115200+flow=hard
///
/// Two URLs are equal when they name the same printer: letter case of scheme and host, the scheme's default
/// port and a missing IPP path make no difference. A URL never holds a password; parsing refuses one.
public struct PrinterURL: Hashable, Sendable {
    /// The scheme, which selects the transport.
    public let scheme: Scheme
    /// The user name on the remote host; `ssh+lpr` requires one, other schemes have none.
    public let user: String?
    /// Lower-cased host name or address (IPv6 without its brackets). For `usb` the manufacturer, in its own letter
    /// case. Empty for `serial`.
    public private(set) var host: String
    /// Nil when it is the scheme's default port.
    public let port: Int?
    /// The part after the host, percent-encoded, with its leading slash. For `serial` the path of the device.
    public let path: String
    /// The part after `?`, percent-encoded, without the question mark; only `usb`, `lpd` and `serial` have one.
    public let query: String?

    /// The port to connect to; nil for a scheme without ports.
    public var effectivePort: Int? { port ?? scheme.defaultPort }

    /// The value of an item in the query of a `usb` URL; nil where it is absent.
    package func usbQueryItem(_ name: String) -> String? {
        guard scheme == .usb, let query else { return nil }
        for item in query.split(separator: "&") {
            let (key, value) = item.splitOnce(at: "=")
            if key == name { return value.flatMap { PercentEncoding.decode($0) } }
        }
        return nil
    }

    /// The host as resolvers take it: the zone of an IPv6 address, `fe80::1%25eth0`, without its escape (RFC 6874).
    package var resolvableHost: String {
        guard host.utf8.contains(UInt8(ascii: ":")), let zone = host.firstRange(ofText: "%25") else { return host }
        return "\(host[..<zone.lowerBound])%\(host[zone.upperBound...])"
    }

    /// The same URL for the other side: a zone means something on this computer only (RFC 6874 §4).
    package var withoutZone: PrinterURL {
        guard host.utf8.contains(UInt8(ascii: ":")), let zone = host.firstIndex(of: "%") else { return self }
        var url = self
        url.host = String(host[..<zone])
        return url
    }

    /// The `host:port` form that HTTP's `Host` field and messages use (RFC 3986 §3.2).
    public var authority: String {
        let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return port.map { "\(name):\($0)" } ?? name
    }
}

extension PrinterURL {
    /// The part before `://` (`:` for `serial`), which selects the transport.
    public struct Scheme: Hashable, Sendable, CustomStringConvertible {
        /// The scheme in lower case.
        public let name: String
        /// The scheme.
        public var description: String { name }

        /// IPP over TCP (RFC 3510), port 631.
        public static let ipp = Scheme(name: "ipp")
        /// IPP over TLS (RFC 7472), port 631.
        public static let ipps = Scheme(name: "ipps")
        /// A queue of `lpr` on a Unix host, through SSH, port 22.
        public static let sshLpr = Scheme(name: "ssh+lpr")
        /// A printer on the USB bus, in the form that CUPS prints: `usb://Maker/Model?serial=S`.
        public static let usb = Scheme(name: "usb")
        /// Raw data over TCP (AppSocket, "JetDirect"), port 9100, in the form of CUPS: `socket://host`.
        public static let socket = Scheme(name: "socket")
        /// A queue of a line printer daemon or of a printer that speaks its protocol (RFC 1179), port 515.
        public static let lpd = Scheme(name: "lpd")
        /// A printer on a serial port, in the form of CUPS: `serial:/dev/ttyUSB0?baud=115200`.
        public static let serial = Scheme(name: "serial")
        /// The schemes that printers can be saved with.
        public static let known: [Scheme] = [.ipp, .ipps, .sshLpr, .lpd, .socket, .usb, .serial]

        /// RFC 3510 and RFC 7472 give `ipp` and `ipps` port 631; IANA lists 9100 as `pdl-datastream`;
        /// 515 is that of RFC 1179 §3.1.
        public var defaultPort: Int? {
            switch self {
            case .ipp, .ipps: 631
            case .sshLpr: 22
            case .lpd: 515
            case .socket: 9100
            default: nil
            }
        }
    }
}

extension PrinterURL: CustomStringConvertible {
    /// The URL in its normal form, which reads as an equal URL.
    public var description: String {
        var text = scheme == .serial ? "\(scheme.name):" : "\(scheme.name)://"
        if let user { text += "\(PercentEncoding.encode(user, keeping: PercentEncoding.isUnreserved))@" }
        text += scheme == .usb ? PercentEncoding.encode(host, keeping: PercentEncoding.isRegisteredName) : authority
        text += path
        if let query { text += "?\(query)" }
        return text
    }
}

extension PrinterURL: Codable {
    /// Decodes a URL.
    /// - Throws: `DecodingError` for a string that is none, with the reason.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            try self.init(container.decode(String.self))
        } catch let error as PrinterURLError {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
        }
    }

    /// Encodes `description`.
    public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
}

extension PrinterURL {
    /// RFC 8011 §5.4.1 bounds `printer-uri-supported` values (type uri) at 1,023 octets.
    public static let maximumLength = 1023

    /// Reads a printer URL, as an admin writes it.
    /// - Throws: `PrinterURLError`: what is wrong with it, and what to write instead.
    public init(_ text: String) throws(PrinterURLError) {
        guard text.utf8.count <= Self.maximumLength else {
            throw PrinterURLError("it is longer than \(Self.maximumLength) bytes", instead: "a shorter URL")
        }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw PrinterURLError(
                "it contains a space, a control character or a non-ASCII letter",
                instead: "such characters percent-encoded, for example %20 for a space"
            )
        }
        let (name, afterName) = text[...].splitOnce(at: ":")
        if let afterName, name.lowercased() == Scheme.serial.name {
            try self.init(serialPort: afterName)
            return
        }
        guard let separator = text.firstRange(ofText: "://") else {
            throw PrinterURLError("it has no scheme", instead: "a URL such as ipp://192.0.2.10/ipp/print")
        }
        let scheme = Scheme(name: text[..<separator.lowerBound].lowercased())
        guard Scheme.known.contains(scheme) else {
            let names = Scheme.known.map(\.name).joined(separator: ", ")
            throw PrinterURLError("its scheme \"\(scheme)\" is not known", instead: "one of \(names)")
        }
        try self.init(scheme: scheme, rest: text[separator.upperBound...])
    }

    private static func refuseFragment(_ rest: Substring) throws(PrinterURLError) {
        guard !rest.contains("#") else {
            throw PrinterURLError("it has a fragment (#…)", instead: "the URL without it")
        }
    }

    /// Reads what follows `serial:`, the path of a device and options. An empty host (`///`) is accepted.
    private init(serialPort rest: Substring) throws(PrinterURLError) {
        try Self.refuseFragment(rest)
        let (beforeQuery, query) = rest.splitOnce(at: "?")
        let device = try Self.decoded(beforeQuery.hasPrefix("///") ? beforeQuery.dropFirst(2) : beforeQuery)
        let components = device.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard device.hasPrefix("/"), !components.contains(where: { ["", ".", ".."].contains($0) }) else {
            throw PrinterURLError(
                "it names no device", instead: "serial:/dev/serial/by-id/NAME?baud=115200, as in ls /dev/serial/by-id")
        }
        (scheme, user, host, port) = (.serial, nil, "", nil)
        path = PercentEncoding.encode(device, keeping: Self.isPathByte)
        self.query = try SerialSettings(options: query).options
    }

    /// RFC 3986 §3.3.
    private static func isPathByte(_ byte: UInt8) -> Bool {
        PercentEncoding.isRegisteredName(byte) || "/:@".utf8.contains(byte)
    }

    /// The path of the device of a `serial` URL.
    package var devicePath: String? { scheme == .serial ? PercentEncoding.decode(path) : nil }

    /// The settings of the line of a `serial` URL.
    package var serialSettings: SerialSettings? {
        scheme == .serial ? try? SerialSettings(options: query?[...]) : nil
    }

    /// Whether the URL names a serial adapter by a number that another one may have after the next start or replug.
    package var namesAdapterByNumber: Bool {
        scheme == .serial && (path.hasPrefix("/dev/ttyUSB") || path.hasPrefix("/dev/ttyACM"))
    }

    private init(scheme: Scheme, rest: Substring) throws(PrinterURLError) {
        try Self.refuseFragment(rest)
        let (beforeQuery, query) = rest.splitOnce(at: "?")
        let slash = beforeQuery.firstIndex(of: "/") ?? beforeQuery.endIndex
        var authority = beforeQuery[..<slash]
        let path = String(beforeQuery[slash...])

        var user: String?
        if let at = authority.lastIndex(of: "@") {
            let login = authority[..<at]
            guard !login.contains(":") else { throw Self.holdsPassword }
            user = try Self.decoded(login)
            guard user?.contains(":") == false else { throw Self.holdsPassword }
            authority = authority[authority.index(after: at)...]
        }
        self.scheme = scheme
        self.user = user
        if scheme == .usb {
            (host, port) = (try Self.decoded(authority), nil)
        } else {
            (host, port) = try Self.hostAndPort(authority, of: scheme)
        }
        if scheme == .socket {
            try Self.checkSocketOptions(path[...], query)
            (self.path, self.query) = ("", nil)
        } else if scheme == .lpd {
            (self.path, self.query) = (path, try Self.lpdOptions(query))
        } else {
            self.query = query.map(String.init)
            self.path = path.isEmpty && (scheme == .ipp || scheme == .ipps) ? Self.defaultIPPPath : path
        }
        try checkRules()
    }

    private static let holdsPassword = PrinterURLError(
        "it holds a password", instead: "the URL without the password, and a name under `credentials`"
    )

    /// PWG 5100.14 §4.2: the resource path of every IPP Everywhere printer.
    private static let defaultIPPPath = "/ipp/print"

    private static func decoded(_ text: Substring) throws(PrinterURLError) -> String {
        guard let plain = PercentEncoding.decode(text) else {
            throw PrinterURLError(
                "\"\(text)\" is not percent-encoded UTF-8", instead: "%XX with two hexadecimal digits")
        }
        guard !plain.hasControlCharacters else {
            throw PrinterURLError(
                "\"\(text)\" contains an encoded control character", instead: "it without that character")
        }
        return plain
    }

    private static func hostAndPort(
        _ authority: Substring, of scheme: Scheme
    ) throws(PrinterURLError) -> (host: String, port: Int?) {
        var host = authority
        var portText: Substring?
        if authority.hasPrefix("[") {
            guard let close = authority.firstIndex(of: "]") else {
                throw PrinterURLError("the bracket around its IPv6 address is not closed", instead: "[address]")
            }
            host = authority[authority.index(after: authority.startIndex)..<close]
            let tail = authority[authority.index(after: close)...]
            guard tail.isEmpty || tail.hasPrefix(":") else {
                throw PrinterURLError("\"\(tail)\" follows its IPv6 address", instead: "[address]:port")
            }
            portText = tail.isEmpty ? nil : tail.dropFirst()
            guard isIPv6Address(host) else {
                throw PrinterURLError("\"\(host)\" is not an IPv6 address", instead: "for example [fe80::1]")
            }
        } else {
            (host, portText) = authority.splitOnce(at: ":")
            guard !host.isEmpty else {
                throw PrinterURLError("it has no host", instead: "\(scheme.name)://host/…")
            }
            guard host.utf8.allSatisfy(Self.isHostByte) else {
                throw PrinterURLError("\"\(host)\" is not a host name", instead: "letters, digits, dots and hyphens")
            }
        }
        guard let portText else { return (lowercased(host), nil) }
        guard let port = Int(digits: portText), (1...65535).contains(port) else {
            throw PrinterURLError("\"\(portText)\" is not a port", instead: "a number from 1 to 65535")
        }
        return (lowercased(host), port == scheme.defaultPort ? nil : port)
    }

    /// The host in lower case, but for a zone: names of interfaces have either case.
    private static func lowercased(_ host: Substring) -> String {
        let zone = host.firstIndex(of: "%") ?? host.endIndex
        return host[..<zone].lowercased() + host[zone...]
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Checks roughly for RFC 4291 §2.2: two to eight groups of hexadecimal digits, at most one gap (`::`), perhaps an
    /// IPv4 address at the end, then perhaps a zone (RFC 6874). The resolver checks the rest.
    private static func isIPv6Address(_ text: Substring) -> Bool {
        let (address, zone) = text.splitOnce(at: "%")
        if let zone, zone.isEmpty || !zone.utf8.allSatisfy({ isHostByte($0) || $0 == UInt8(ascii: "%") }) {
            return false
        }
        let groups = address.split(separator: ":", omittingEmptySubsequences: false)
        guard (3...9).contains(groups.count) else { return false }
        return groups.enumerated().allSatisfy { index, group in
            group.utf8.count <= 4 && group.allSatisfy { $0.isASCII && $0.isHexDigit }
                || index == groups.count - 1 && group.contains(".")
                    && group.utf8.allSatisfy { isDigit($0) || $0 == UInt8(ascii: ".") }
        }
    }
}

extension PrinterURL {
    /// Checks the rules of each scheme beyond the common syntax.
    private func checkRules() throws(PrinterURLError) {
        switch scheme {
        case .sshLpr:
            guard let user, !user.isEmpty else {
                throw PrinterURLError("it names no user", instead: "ssh+lpr://user@host/queue")
            }
            // A leading hyphen would make it an option of lpr.
            guard let queue, queue.utf8.count <= 127, !queue.hasPrefix("-"), queue.utf8.allSatisfy(Self.isHostByte)
            else {
                throw PrinterURLError(
                    "it names no queue, or one that lpr does not accept",
                    instead: "ssh+lpr://user@host/queue, the queue in letters, digits, dots, hyphens and underscores"
                )
            }
        case .lpd:
            guard user == nil else {
                throw PrinterURLError("an lpd URL has no user", instead: "lpd://host/queue")
            }
            guard let queue, queue.utf8.count <= 127, queue.utf8.allSatisfy(Self.isHostByte) else {
                throw PrinterURLError(
                    "it names no queue, or one that has other characters",
                    instead: "lpd://host/queue, the queue in letters, digits, dots, hyphens and underscores"
                )
            }
            return
        case .usb:
            guard user == nil else {
                throw PrinterURLError("a usb URL has no user", instead: "usb://Maker/Model?serial=S")
            }
            guard !host.isEmpty, path.utf8.count > 1 else {
                throw PrinterURLError("it lacks manufacturer or model", instead: "usb://Maker/Model?serial=S")
            }
            return
        default:
            guard user == nil else {
                throw PrinterURLError(
                    "it contains a user", instead: "the URL without the user, and a name under `credentials`"
                )
            }
        }
        guard query == nil else {
            throw PrinterURLError("it has a query (?…)", instead: "the URL without it")
        }
    }

    /// Checks what CUPS writes behind a `socket` URL and what means nothing here: the slash, and the options of its
    /// backend (cups-socket(8)), whose decisions are the transport's.
    private static func checkSocketOptions(_ path: Substring, _ query: Substring?) throws(PrinterURLError) {
        guard path.isEmpty || path == "/" else {
            throw PrinterURLError("a socket URL has no path", instead: "socket://host or socket://host:port")
        }
        for item in query?.split(separator: "&") ?? [] {
            let name = item.splitOnce(at: "=").0
            guard ["waiteof", "contimeout", "snmp"].contains(name) else {
                throw PrinterURLError("its option \"\(name)\" is not known", instead: "the URL without it")
            }
        }
    }

    /// Checks the options that CUPS writes behind an `lpd` URL (its backend's, `backend/lpd.c`), and returns those that
    /// say something beyond the usual, in their order here.
    private static func lpdOptions(_ query: Substring?) throws(PrinterURLError) -> String? {
        var (isUnchanged, isDataFirst) = (false, false)
        for item in query?.split(separator: "&") ?? [] {
            switch item {
            case "format=l": isUnchanged = true
            case "order=control,data": isDataFirst = false
            case "order=data,control": isDataFirst = true
            case "reserve=none", "reserve=no", "reserve=off", "reserve=false": break
            default:
                throw PrinterURLError(
                    "its option \"\(item)\" is not supported",
                    instead: "the URL without it; lpd URLs take format=l, order=data,control and reserve=none")
            }
        }
        let options = [isUnchanged ? "format=l" : nil, isDataFirst ? "order=data,control" : nil].compactMap(\.self)
        return options.isEmpty ? nil : options.joined(separator: "&")
    }

    /// Whether the printer of an `lpd` URL gets a job's data before its control file.
    package var lpdSendsDataFirst: Bool { hasLPDOption("order=data,control") }
    /// Whether the printer of an `lpd` URL is to print every document unchanged.
    package var lpdForcesUnchanged: Bool { hasLPDOption("format=l") }

    private func hasLPDOption(_ option: String) -> Bool {
        scheme == .lpd && query?.split(separator: "&").contains { $0 == option } == true
    }

    /// The queue of an `ssh+lpr` or `lpd` URL: its only path component.
    public var queue: String? {
        guard scheme == .sshLpr || scheme == .lpd, path.utf8.count > 1 else { return nil }
        return String(path.dropFirst())
    }
}

/// The reason why a string is not a printer URL, and what to write instead.
public struct PrinterURLError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, as the rest of a sentence that begins with "the URL is refused: ".
    public let reason: String
    /// What to write instead.
    public let instead: String

    init(_ reason: String, instead: String) {
        self.reason = reason
        self.instead = instead
    }

    /// The reason, and what to write instead.
    public var description: String { "\(reason); write \(instead)" }
}
