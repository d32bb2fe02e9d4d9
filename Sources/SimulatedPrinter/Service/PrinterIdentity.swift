import PrintModel

/// Who and where a simulated printer is.
struct PrinterIdentity: Sendable {
    var name: String
    var location: String
    /// Without `urn:uuid:`.
    var uuid: String
    var port: Int
    /// Wall-clock time at the simulation's start.
    var startedAt: Timestamp

    /// How what it says of itself in `uri-security-supported` and `uri-authentication-supported` is true.
    var access = PrinterAccess()

    static let path = "/ipp/print"

    var uri: String { "\(access.security == .tls ? "ipps" : "ipp")://localhost:\(port)\(Self.path)" }
    var webPage: String { "\(access.security == .tls ? "https" : "http")://localhost:\(port)/" }

    func uri(ofJob id: Int32) -> String { "\(uri)/\(id)" }
}
