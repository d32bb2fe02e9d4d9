/// How a printer's identity is verified before anything is sent to it.
///
/// Its textual form in the registry and the API: `system`, `ca:/etc/kioskd/office-ca.pem`,
/// `known-hosts:/etc/kioskd/known_hosts`, `sha256:HEX` (several joined by commas), `ask`, `none`.
public enum Trust: Hashable, Sendable {
    /// Over TLS its certificate chains to a CA of the system's store, and names its host. Over SSH its host key is in
    /// the known_hosts file of the system or of the daemon's user.
    case system
    /// Its certificate chains to one in this PEM file, and names its host.
    case caFile(path: String)
    /// Its host key is in this file, in the format of OpenSSH's known_hosts; over SSH only.
    case knownHosts(path: String)
    /// Its public key is one of these: over TLS (DER SubjectPublicKeyInfo, RFC 7469 §2.4) whatever its certificate's
    /// names and dates, since printers sign their own, seldom with a right host name; over SSH (RFC 4253 §6.6) as it
    /// is on the wire. At least one, at most `maximumPins`.
    case pinned([Fingerprint])
    /// Not verified yet: nothing is sent until a person has checked its certificate or host key and pinned it.
    case ask
    /// Not verified at all. Whoever responds at its address gets the documents and the logins.
    case none

    /// The maximum number of pinned public keys of one printer.
    public static let maximumPins = 8

    /// The textual forms, for messages.
    package static let forms =
        "system, ca:/path/to/ca.pem, known-hosts:/path/to/known_hosts, sha256:FINGERPRINT, ask or none"
}

extension Trust: CustomStringConvertible {
    /// Reads the textual form.
    /// - Throws: `TrustError`: what is wrong with it, and what to write instead.
    public init(_ text: String) throws(TrustError) {
        switch text {
        case "system": self = .system
        case "ask": self = .ask
        case "none": self = .none
        case _ where text.hasPrefix("ca:"):
            let path = String(text.dropFirst("ca:".count))
            guard path.hasPrefix("/"), !path.hasControlCharacters else {
                throw TrustError("the CA file has no absolute path", instead: "ca:/etc/kioskd/office-ca.pem")
            }
            self = .caFile(path: path)
        case _ where text.hasPrefix("known-hosts:"):
            let path = String(text.dropFirst("known-hosts:".count))
            guard path.hasPrefix("/"), !path.hasControlCharacters else {
                throw TrustError(
                    "the known_hosts file has no absolute path", instead: "known-hosts:/etc/kioskd/known_hosts")
            }
            self = .knownHosts(path: path)
        case _ where text.hasPrefix("sha256"):
            let pins = text.split(separator: ",", omittingEmptySubsequences: false).map { Fingerprint(String($0)) }
            let known = pins.compactMap(\.self)
            guard known.count == pins.count, pins.count <= Self.maximumPins else {
                throw TrustError(
                    "it is not a list of at most \(Self.maximumPins) SHA-256 fingerprints",
                    instead: "sha256: with 64 hexadecimal digits, as `kioskctl printers trust ID` shows it"
                )
            }
            self = .pinned(known)
        default:
            throw TrustError("it is not a kind of trust", instead: Self.forms)
        }
    }

    /// The textual form, which `init(_:)` reads.
    public var description: String {
        switch self {
        case .system: "system"
        case .caFile(let path): "ca:\(path)"
        case .knownHosts(let path): "known-hosts:\(path)"
        case .pinned(let pins): pins.map(\.description).joined(separator: ",")
        case .ask: "ask"
        case .none: "none"
        }
    }
}

extension Trust: Codable {
    /// Decodes the textual form.
    /// - Throws: `DecodingError` for any other string, with what to write instead.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            try self.init(container.decode(String.self))
        } catch let error as TrustError {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
        }
    }

    /// Encodes `description`.
    public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
}

/// The reason why a string does not describe a `Trust`, and what to write instead.
public struct TrustError: Error, Hashable, Sendable, CustomStringConvertible {
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

// MARK: - Identities

/// The identity that a printer, or the host in front of it, presents.
public enum ShownIdentity: Hashable, Sendable {
    /// Presented in a TLS handshake.
    case certificate(Certificate)
    /// Presented in SSH's key exchange.
    case hostKey(HostKey)
    /// Said by a device whose connection proves nothing.
    case device(DeviceIdentification)

    /// The fingerprint that is pinned: that of its public key, or of what the device says it is.
    public var keyFingerprint: Fingerprint {
        switch self {
        case .certificate(let certificate): certificate.keyFingerprint
        case .hostKey(let key): key.fingerprint
        case .device(let device): device.fingerprint
        }
    }

    /// The certificate, where that was presented.
    public var certificate: Certificate? {
        if case .certificate(let certificate) = self { certificate } else { nil }
    }

    /// The host key, where that was presented.
    public var hostKey: HostKey? {
        if case .hostKey(let key) = self { key } else { nil }
    }

    /// What the device says it is, where its connection proves nothing.
    public var device: DeviceIdentification? {
        if case .device(let device) = self { device } else { nil }
    }
}

/// The identity that a printer presented, and the verdict of the same handshake.
public struct JudgedIdentity: Hashable, Sendable {
    /// The certificate or host key that was presented.
    public var identity: ShownIdentity
    /// Why the printer's `trust` refuses it; nil where it is trusted, and under `none`, which verifies nothing.
    public var refusal: TransportError?

    /// Creates a verdict.
    public init(_ identity: ShownIdentity, refusal: TransportError? = nil) {
        self.identity = identity
        self.refusal = refusal
    }
}

/// The fields of a printer's certificate that people check before they trust it (X.509, RFC 5280). Its strings come
/// from the other side: escape them before display.
public struct Certificate: Hashable, Sendable, Codable {
    /// Distinguished names in RFC 2253's form.
    public var subject: String
    /// Who issued it, as a distinguished name.
    public var issuer: String
    /// The host names and addresses that it is valid for (subjectAltName; the common name where there is none).
    public var names: [String]
    /// The beginning of its validity.
    public var notBefore: Timestamp
    /// The end of its validity.
    public var notAfter: Timestamp
    /// The fingerprint of the whole certificate (DER), as browsers show it.
    public var fingerprint: Fingerprint
    /// The fingerprint of its public key (DER SubjectPublicKeyInfo). This one is pinned, since a renewed certificate
    /// may keep its key.
    public var keyFingerprint: Fingerprint
    /// Whether it is signed with its own key, as printers' certificates mostly are.
    public var isSelfSigned: Bool
    /// The type and size of its key: `RSA 2048`, `EC P-256`.
    public var key: String

    /// Creates a certificate from its fields.
    public init(
        subject: String, issuer: String, names: [String], notBefore: Timestamp, notAfter: Timestamp,
        fingerprint: Fingerprint, keyFingerprint: Fingerprint, isSelfSigned: Bool, key: String
    ) {
        self.subject = subject
        self.issuer = issuer
        self.names = names
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.fingerprint = fingerprint
        self.keyFingerprint = keyFingerprint
        self.isSelfSigned = isSelfSigned
        self.key = key
    }

    enum CodingKeys: String, CodingKey {
        case subject, issuer, names
        case notBefore = "not-before"
        case notAfter = "not-after"
        case fingerprint
        case keyFingerprint = "key-fingerprint"
        case isSelfSigned = "self-signed"
        case key
    }
}

/// The fields of an SSH server's host key that people check before they trust it (RFC 4253 §6.6).
public struct HostKey: Hashable, Sendable, Codable {
    /// The SSH name of its type: `ssh-ed25519`, `ecdsa-sha2-nistp256`. It comes from the other side: escape it before
    /// display.
    public var algorithm: String
    /// The fingerprint of the public key in its wire format; `ssh-keygen -l` prints the same in Base64.
    public var fingerprint: Fingerprint

    /// Creates a host key from its fields.
    public init(algorithm: String, fingerprint: Fingerprint) {
        self.algorithm = algorithm
        self.fingerprint = fingerprint
    }
}

/// The identity that a printer presents and how it is trusted, for a person who decides.
public struct PrinterTrust: Hashable, Sendable, Codable {
    /// The printer.
    public var printer: PrinterID
    /// The trust that is saved for the printer.
    public var trust: Trust
    /// The certificate that it presented just now; nil where its connection has none.
    public var certificate: Certificate?
    /// The host key that a host behind SSH presented just now.
    public var hostKey: HostKey?
    /// What the device said just now that it is, over a connection that proves nothing. At most one of the three is set.
    public var device: DeviceIdentification?
    /// Whether jobs and logins are sent to a printer with this identity, as the handshake decided. Always true under
    /// `none`, which verifies nothing.
    public var isTrusted: Bool
    /// Why it is not trusted, and what to do.
    public var problem: String?

    /// Creates a report on what a printer presented; `identity` is nil where its connection has none.
    public init(printer: PrinterID, trust: Trust, identity: ShownIdentity?, isTrusted: Bool, problem: String? = nil) {
        self.printer = printer
        self.trust = trust
        certificate = identity?.certificate
        hostKey = identity?.hostKey
        device = identity?.device
        self.isTrusted = isTrusted
        self.problem = problem
    }

    /// What was presented.
    public var identity: ShownIdentity? {
        certificate.map { .certificate($0) } ?? hostKey.map { .hostKey($0) } ?? device.map { .device($0) }
    }

    enum CodingKeys: String, CodingKey {
        case printer, trust, certificate
        case hostKey = "host-key"
        case device
        case isTrusted = "trusted"
        case problem
    }
}

/// The SHA-256 fingerprint of a public key or certificate, as people compare it and the registry stores it.
public struct Fingerprint: Hashable, Sendable {
    /// Exactly 32 octets.
    public let octets: [UInt8]

    /// The length in octets.
    public static let length = 32

    /// Nil where there are not 32 octets.
    public init?(octets: [UInt8]) {
        guard octets.count == Self.length else { return nil }
        self.octets = octets
    }

    /// Reads 64 hexadecimal digits, with or without colons, or 43 or 44 characters of Base64 (as OpenSSH and curl
    /// write it), each with or without the prefix `sha256:` or `sha256//`, whose letter case does not matter.
    public init?(_ text: String) {
        var body = text[...]
        if body.lowercased().hasPrefix("sha256:") { body = body.dropFirst("sha256:".count) }
        if body.lowercased().hasPrefix("sha256//") { body = body.dropFirst("sha256//".count) }
        let bytes = Array(body.utf8)
        let digits = bytes.filter { $0 != UInt8(ascii: ":") }
        guard let octets = digits.count == 2 * Self.length ? Self.hexadecimal(digits) : Self.base64(bytes) else {
            return nil
        }
        self.init(octets: octets)
    }

    private static func hexadecimal(_ digits: [UInt8]) -> [UInt8]? {
        var octets: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index].hexadecimalDigit, let low = digits[index + 1].hexadecimalDigit else {
                return nil
            }
            octets.append(high << 4 | low)
        }
        return octets
    }

    private static func base64(_ text: [UInt8]) -> [UInt8]? {
        let body = text.last == UInt8(ascii: "=") ? text.dropLast() : text[...]
        guard body.count == 43 else { return nil }
        var (octets, bits, count): ([UInt8], UInt32, Int) = ([], 0, 0)
        for character in body {
            guard let value = Base64.alphabet.firstIndex(of: character) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                octets.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return octets
    }
}

extension Fingerprint: CustomStringConvertible {
    /// `sha256:` and 64 lower-case hexadecimal digits.
    public var description: String { "sha256:" + Hexadecimal.encode(octets) }

    /// The form of `ssh-keygen -l`: `SHA256:` and 43 characters of Base64 without padding.
    public var openSSH: String { "SHA256:" + Base64.encode(octets).prefix { $0 != "=" } }
}

extension Fingerprint: Codable {
    /// Decodes any form that `init(_:)` reads.
    /// - Throws: `DecodingError` for any other string.
    public init(from decoder: any Decoder) throws {
        self = try decoder.decodeText({ Fingerprint($0) }, problem: { _ in "no SHA-256 fingerprint" })
    }

    /// Encodes `description`.
    public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
}
