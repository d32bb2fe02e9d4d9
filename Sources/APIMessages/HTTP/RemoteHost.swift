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

    /// More characters than any token has.
    private static let maximumTokenLength = 1024

    /// Reads `https://HOST[:PORT]`, or `http://HOST[:PORT]` for this machine's loopback.
    /// - Throws: `RemoteHostError`: what is wrong, and what to write instead.
    public init(_ url: String, fingerprint: Fingerprint? = nil, token: Secret? = nil) throws(RemoteHostError) {
        let (scheme, rest) = try Self.scheme(of: url)
        var authority = rest
        if authority.hasSuffix("/") { authority = authority.dropLast() }
        guard let host = URLAuthority(authority) else {
            throw RemoteHostError("\(Self.quoted(authority)) is not a host", instead: "HOST or HOST:PORT, and no path")
        }
        usesTLS = scheme == "https"
        name = host.host
        port = host.port ?? Self.standardPort
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

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "-._~+/=".utf8.contains(byte)
        }
    }

    /// RFC 6750 §2.1, `b64token`: nothing that could end the header field.
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= maximumTokenLength
            && text.utf8.allSatisfy(isTokenByte)
    }

    private static func quoted(_ text: some StringProtocol) -> String {
        "\"\(String(text).withoutControlCharacters.prefix(utf8Count: 80))\""
    }
}

extension RemoteHost {
    /// Whether this is the same machine, whose traffic nobody else reads.
    public var isLoopback: Bool { URLAuthority.isLoopback(host: name) }

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
