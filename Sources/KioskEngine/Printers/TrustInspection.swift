import KioskPrintModel

/// Asks a printer for the certificate or host key that it shows now, or which device it is, and judges it by the trust
/// in force.
struct TrustInspection: Sendable {
    let printer: SavedPrinter
    let transport: any Transport
    let clock: EngineClock

    private static let deadline = Duration.seconds(20)

    /// What the printer shows; nil where its connection has no identity. On a connection of its own. Throws
    /// `printer-unreachable`.
    func identity() async throws -> JudgedIdentity? {
        do {
            return try await withThrowingTaskGroup(of: JudgedIdentity?.self) { group in
                group.addTask { try await transport.identity(of: printer.target) }
                group.addTask {
                    try await clock.sleep(Self.deadline)
                    throw TransportError(
                        .timedOut, operation: "handshake",
                        message:
                            "\(printer.url) showed no \(printer.url.scheme.identityNoun) in time; see whether it is on, and try again"
                    )
                }
                defer { group.cancelAll() }
                return try await group.next() ?? nil
            }
        } catch let error as TransportError {
            throw EngineError(.printerUnreachable, error.message)
        }
    }

    /// What the printer shows beside the trust, which judged it in the handshake that showed it.
    func trust() async throws -> PrinterTrust {
        let judged = try await identity()
        return PrinterTrust(
            printer: printer.id, trust: printer.trust ?? .system, identity: judged?.identity,
            isTrusted: judged.map { $0.refusal == nil } ?? false, problem: judged?.refusal.map(problem))
    }

    private func problem(_ refusal: TransportError) -> String {
        switch (refusal.code, printer.trust) {
        case (.certificateNotAccepted, _), (.hostKeyUnknown, .ask):
            return
                "nobody has accepted its \(printer.url.scheme.identityNoun) yet; compare the fingerprints, then run: kioskctl printers trust \(printer.id)"
        case (.certificateChanged, .pinned(let pins)), (.hostKeyChanged, .pinned(let pins)):
            let key = refusal.identity?.keyFingerprint.description ?? "one that cannot be read"
            return
                "its key is \(key) now, and \(pins.map(\.description).joined(separator: " or ")) is pinned; find out why before you accept it with: kioskctl printers trust \(printer.id)"
        default: return refusal.message
        }
    }
}

extension PrinterURL.Scheme {
    /// What a printer of this scheme proves who it is with, in a sentence.
    var identityNoun: String {
        switch self {
        case .sshLpr: "host key"
        case .socket: "serial number or hardware address"
        default: "certificate"
        }
    }
}
