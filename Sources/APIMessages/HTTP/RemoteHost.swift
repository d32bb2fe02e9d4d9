public import KioskPrintModel

/// A daemon that is reached over TCP, how it proves who it is, and the token that says who asks.
///
/// Without TLS only this machine's loopback is spoken to: a token would be read by whoever listens on the way.
public struct RemoteHost: Hashable, Sendable {
    /// Whether TLS is spoken: `https://`.
    public let usesTLS: Bool
    /// A host name, an IPv4 address, or an IPv6 address without brackets.
    public let name: String
    /// The TCP port.
    public let port: Int
    /// The fingerprint of the daemon's public key (DER SubjectPublicKeyInfo, RFC 7469 §2.4), whatever the names and
    /// dates of its certificate. Nil trusts the CAs of this system, and demands that the certificate names the host.
    public var fingerprint: Fingerprint?
    /// The bearer token (RFC 6750) of each request. Nil asks as nobody.
    public var token: Secret?

    /// kioskctl's environment variables: the URL, the fingerprint, and the token.
    package static let environmentKey = "KIOSKCTL_HOST"
    package static let fingerprintKey = "KIOSKCTL_FINGERPRINT"
    package static let tokenKey = "KIOSKCTL_TOKEN"

    /// The port of a daemon whose URL names none.
    public static let standardPort = 8631

    /// The octets of a host name at most (RFC 1035 §2.3.4).
    private static let maximumNameLength = 255
    /// More characters than any token has.
    private static let maximumTokenLength = 1024

    /// Reads `https://HOST[:PORT]`, or `http://HOST[:PORT]` for this machine's loopback.
    /// - Throws: `RemoteHostError`: what is wrong, and what to write instead.
    public init(_ url: String, fingerprint: Fingerprint? = nil, token: Secret? = nil) throws(RemoteHostError) {
        let (scheme, rest) = try Self.scheme(of: url)
        var authority = rest
        if authority.hasSuffix("/") { authority = authority.dropLast() }
        let (name, port) = try Self.nameAndPort(authority)
        usesTLS = scheme == "https"
        self.name = name
        self.port = port
        self.fingerprint = fingerprint
        self.token = token
        guard usesTLS || isLoopback else {
            throw RemoteHostError(
                "\(url) would send the token to another machine unencrypted", instead: "https://\(self.authority)")
        }
        guard usesTLS || fingerprint == nil else {
            throw RemoteHostError(
                "a fingerprint is for TLS, and \(url) has none", instead: "an https:// URL, or no fingerprint")
        }
        if let token, !Self.isToken(token.reveal()) {
            throw RemoteHostError(
                "the token has characters that no token has", instead: "the token alone, as `kioskctl tokens` shows it")
        }
    }

    private static func scheme(of url: String) throws(RemoteHostError) -> (String, Substring) {
        for scheme in ["https", "http"] where url.lowercased().hasPrefix("\(scheme)://") {
            return (scheme, url.dropFirst(scheme.count + "://".count))
        }
        throw RemoteHostError("\(quoted(url)) is not the URL of a daemon", instead: "https://HOST or https://HOST:PORT")
    }

    private static func nameAndPort(_ authority: Substring) throws(RemoteHostError) -> (String, Int) {
        let wrong = RemoteHostError("\(quoted(authority)) is not a host", instead: "HOST or HOST:PORT, and no path")
        let name: Substring
        var rest: Substring
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { throw wrong }
            name = authority[authority.index(after: authority.startIndex)..<end]
            rest = authority[authority.index(after: end)...]
            guard name.contains(":"), name.utf8.allSatisfy({ isAddressOctet($0) }) else { throw wrong }
        } else {
            let end = authority.firstIndex(of: ":") ?? authority.endIndex
            name = authority[..<end]
            rest = authority[end...]
            guard !name.isEmpty, !name.hasPrefix("-"), name.utf8.allSatisfy({ isNameOctet($0) }) else { throw wrong }
        }
        guard name.utf8.count <= maximumNameLength else { throw wrong }
        guard !rest.isEmpty else { return (name.lowercased(), standardPort) }
        guard rest.removeFirst() == ":", rest.utf8.allSatisfy({ (48...57).contains($0) }), let port = Int(rest),
            (1...65535).contains(port)
        else { throw wrong }
        return (name.lowercased(), port)
    }

    private static func isNameOctet(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 48...57: true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
        default: false
        }
    }

    private static func isAddressOctet(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"), 48...57: true
        case UInt8(ascii: ":"), UInt8(ascii: "."): true
        default: false
        }
    }

    /// RFC 6750 §2.1, `b64token`: nothing that could end the header field.
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= maximumTokenLength
            && text.utf8.allSatisfy { isNameOctet($0) || [UInt8]("~+/=".utf8).contains($0) }
    }

    private static func quoted(_ text: some StringProtocol) -> String {
        "\"\(String(text).withoutControlCharacters.prefix(utf8Count: 80))\""
    }
}

extension RemoteHost {
    /// Whether this is the same machine, whose traffic nobody else reads.
    public var isLoopback: Bool {
        name == "localhost" || name == "::1"
            || name.hasPrefix("127.") && name.utf8.allSatisfy { (48...57).contains($0) || $0 == UInt8(ascii: ".") }
    }

    /// `HOST:PORT`, as the header field `Host` has it.
    var authority: String { name.contains(":") ? "[\(name)]:\(port)" : "\(name):\(port)" }
}

extension RemoteHost: CustomStringConvertible {
    /// The URL, without the token.
    public var description: String { "\(usesTLS ? "https" : "http")://\(authority)" }
}

/// Why a text does not name a daemon, and what to write instead.
public struct RemoteHostError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public var reason: String
    /// What to write instead.
    public var instead: String

    fileprivate init(_ reason: String, instead: String) {
        self.reason = reason
        self.instead = instead
    }

    /// The reason, and what to write instead.
    public var description: String { "\(reason); write \(instead)" }
}
