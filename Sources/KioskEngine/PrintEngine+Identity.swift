public import PrintModel
import PrinterRegistry

extension PrintEngine {
    /// The certificate or host key that a printer shows now, and what its trust makes of it; nil where its connection
    /// has none. Asks the printer, with a deadline, on a connection of its own. Throws `unknown-printer` or
    /// `printer-unreachable`.
    public func identity(of id: PrinterID) async throws -> JudgedIdentity? {
        try await judgedIdentity(of: id).judged
    }

    private func judgedIdentity(of id: PrinterID) async throws -> (saved: SavedPrinter, judged: JudgedIdentity?) {
        guard let saved = snapshot.printer(id) else { throw Self.unknown(id) }
        guard let transport = transports[saved.url.scheme] else {
            throw EngineError(
                .noTransport, "no transport for \(saved.url.scheme) is built in; see the limits in the manual")
        }
        do {
            let judged = try await withThrowingTaskGroup(of: JudgedIdentity?.self) { [clock] group in
                group.addTask { try await transport.identity(of: saved.target) }
                group.addTask {
                    try await clock.sleep(Self.identityDeadline)
                    throw TransportError(
                        .timedOut, operation: "handshake",
                        message:
                            "\(saved.url) showed no \(saved.url.scheme.identityNoun) in time; see whether it is on, and try again"
                    )
                }
                defer { group.cancelAll() }
                return try await group.next() ?? nil
            }
            return (saved, judged)
        } catch let error as TransportError {
            throw EngineError(.printerUnreachable, error.message)
        }
    }

    private static let identityDeadline = Duration.seconds(20)

    /// What a printer shows beside the trust in force, which judged it in the handshake that showed it.
    public func inspectTrust(of id: PrinterID) async throws -> PrinterTrust {
        let (saved, judged) = try await judgedIdentity(of: id)
        return PrinterTrust(
            printer: id, trust: saved.trust ?? .system, identity: judged?.identity,
            isTrusted: judged.map { $0.refusal == nil } ?? false,
            problem: judged?.refusal.map { Self.problem($0, saved) })
    }

    private static func problem(_ refusal: TransportError, _ saved: SavedPrinter) -> String {
        switch (refusal.code, saved.trust) {
        case (.certificateNotAccepted, _), (.hostKeyUnknown, .ask):
            return
                "nobody has accepted its \(saved.url.scheme.identityNoun) yet; compare the fingerprints, then run: kioskctl printers trust \(saved.id)"
        case (.certificateChanged, .pinned(let pins)), (.hostKeyChanged, .pinned(let pins)):
            let key = refusal.identity?.keyFingerprint.description ?? "one that cannot be read"
            return
                "its key is \(key) now, and \(pins.map(\.description).joined(separator: " or ")) is pinned; find out why before you accept it with: kioskctl printers trust \(saved.id)"
        default: return refusal.message
        }
    }
}

extension PrinterURL.Scheme {
    /// What a printer of this scheme proves who it is with, in a sentence.
    var identityNoun: String { self == .sshLpr ? "host key" : "certificate" }
}
