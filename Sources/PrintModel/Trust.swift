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
    /// Not verified at all. Anyone who can answer at its address gets the documents and the logins.
    case none

    public static let maximumPins = 8

    /// The textual forms, for messages.
    package static let forms =
        "system, ca:/path/to/ca.pem, known-hosts:/path/to/known_hosts, sha256:FINGERPRINT, ask or none"
}

extension Trust: CustomStringConvertible {
    /// Reads the textual form; throws what to write instead.
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
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            try self.init(container.decode(String.self))
        } catch let error as TrustError {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
        }
    }

    public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
}

/// The reason why a text does not describe a `Trust`, and what to write instead.
public struct TrustError: Error, Hashable, Sendable, CustomStringConvertible {
    public var reason: String
    public var instead: String

    fileprivate init(_ reason: String, instead: String) {
        self.reason = reason
        self.instead = instead
    }

    public var description: String { "\(reason); write \(instead)" }
}
