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

    static let path = "/ipp/print"

    var uri: String { "ipp://localhost:\(port)\(Self.path)" }
    var webPage: String { "http://localhost:\(port)/" }

    func uri(ofJob id: Int32) -> String { "\(uri)/\(id)" }
}
