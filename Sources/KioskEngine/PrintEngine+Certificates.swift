public import PrintModel
internal import PrinterRegistry

extension PrintEngine {
    /// The certificate that a printer shows now, trusted or not; nil where its connection has none. Asks the printer, with
    /// a deadline, on a connection of its own. Throws `unknown-printer` or `printer-unreachable`.
    public func certificate(of id: PrinterID) async throws -> Certificate? {
        guard let saved = snapshot.printer(id) else { throw Self.unknown(id) }
        guard let transport = transports[saved.url.scheme] else {
            throw EngineError(.noTransport, "no transport for \(saved.url.scheme) is built in; see the limits in the manual")
        }
        do {
            return try await withThrowingTaskGroup(of: Certificate?.self) { [clock] group in
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
        } catch let error as TransportError {
            throw EngineError(.printerUnreachable, error.message)
        }
    }

    private static let certificateDeadline = Duration.seconds(20)

    /// The certificate beside the trust in force. For `system` and a CA file the printer is contacted, since only the
    /// handshake tells whether the certificate holds.
    public func inspectCertificate(of id: PrinterID) async throws -> PrinterCertificate {
        let certificate = try await certificate(of: id)
        guard let saved = snapshot.printer(id) else { throw Self.unknown(id) }
        let trust = saved.trust ?? .system
        let problem = certificate == nil ? nil : try await problem(of: certificate, trust: trust, id)
        return PrinterCertificate(
            printer: id, trust: trust, certificate: certificate, isTrusted: certificate != nil && problem == nil, problem: problem)
    }

    private func problem(of certificate: Certificate?, trust: Trust, _ id: PrinterID) async throws -> String? {
        switch trust {
        case .none: return nil
        case .ask:
            return "nobody has accepted its certificate yet; compare the fingerprints, then run: kioskctl printers trust \(id)"
        case .pinned(let pins):
            guard let key = certificate?.keyFingerprint, !pins.contains(key) else { return nil }
            return "its key is \(key) now, and \(pins.map(\.description).joined(separator: " or ")) is pinned; find out why before you accept it with: kioskctl printers trust \(id)"
        case .system, .caFile:
            _ = try await contact(id)
            guard let state = board.printers[id], state.obstacle?.isAboutIdentity == true else { return nil }
            return state.availability.message ?? state.obstacle?.keyword
        }
    }
}
