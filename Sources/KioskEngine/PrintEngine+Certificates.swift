public import PrintModel
internal import PrinterRegistry

extension PrintEngine {
    /// The certificate that a printer shows now, trusted or not; nil where its connection has none. Asks the printer, with
    /// a deadline, on a connection of its own. Throws `unknown-printer` or `printer-unreachable`.
    public func certificate(of id: PrinterID) async throws -> Certificate? {
        try await shownCertificate(of: id).shown?.certificate
    }

    private func shownCertificate(of id: PrinterID) async throws -> (saved: SavedPrinter, shown: ShownCertificate?) {
        guard let saved = snapshot.printer(id) else { throw Self.unknown(id) }
        guard let transport = transports[saved.url.scheme] else {
            throw EngineError(.noTransport, "no transport for \(saved.url.scheme) is built in; see the limits in the manual")
        }
        do {
            let shown = try await withThrowingTaskGroup(of: ShownCertificate?.self) { [clock] group in
                group.addTask { try await transport.certificate(of: saved.target) }
                group.addTask {
                    try await clock.sleep(Self.certificateDeadline)
                    throw TransportError(
                        .timedOut, operation: "TLS handshake",
                        message: "\(saved.url) showed no certificate in time; see whether the printer is on, and try again")
                }
                defer { group.cancelAll() }
                return try await group.next() ?? nil
            }
            return (saved, shown)
        } catch let error as TransportError {
            throw EngineError(.printerUnreachable, error.message)
        }
    }

    private static let certificateDeadline = Duration.seconds(20)

    /// The certificate beside the trust in force, which judged it in the handshake that showed it.
    public func inspectCertificate(of id: PrinterID) async throws -> PrinterCertificate {
        let (saved, shown) = try await shownCertificate(of: id)
        return PrinterCertificate(
            printer: id, trust: saved.trust ?? .system, certificate: shown?.certificate,
            isTrusted: shown.map { $0.refusal == nil } ?? false, problem: shown?.refusal.map { Self.problem($0, saved) })
    }

    private static func problem(_ refusal: TransportError, _ saved: SavedPrinter) -> String {
        switch (refusal.code, saved.trust) {
        case (.certificateNotAccepted, _):
            return "nobody has accepted its certificate yet; compare the fingerprints, then run: kioskctl printers trust \(saved.id)"
        case (.certificateChanged, .pinned(let pins)):
            let key = refusal.certificate?.keyFingerprint.description ?? "one that cannot be read"
            return "its key is \(key) now, and \(pins.map(\.description).joined(separator: " or ")) is pinned; find out why before you accept it with: kioskctl printers trust \(saved.id)"
        default: return refusal.message
        }
    }
}
