package import KioskPrintModel
import KioskPrinterRegistry
import Synchronization

/// What one contact with a printer that need not be saved showed.
package struct ProbeOutcome: Sendable {
    /// Its description and state; nil where the contact failed.
    package var report: ContactReport?
    /// Why the contact failed; nil where it succeeded.
    package var failure: TransportError?
    /// The certificate or host key that it shows, or which device it is, and the verdict of the trust in force; nil
    /// where nothing was shown.
    package var identity: JudgedIdentity?
}

extension PrintEngine {
    /// Contacts a printer once as it would be saved, within a deadline, and returns what that showed.
    ///
    /// Nothing is saved, pinned or remembered, no job moves, and the connections are closed unless a saved printer uses
    /// the same. A login that is refused is not tried again. Throws `no-transport`, and `CancellationError`.
    package func probe(_ printer: SavedPrinter) async throws -> ProbeOutcome {
        guard let transport = transports[printer.url.scheme] else { throw EngineError.noTransport(for: printer) }
        let probe = PrinterProbe(printer: printer, transport: transport, clock: clock)
        probes.begin(printer.target)
        let outcome = await probe.run()
        if probes.end(printer.target), !registry.snapshot.printers.contains(where: { $0.target == printer.target }) {
            await transport.forget(printer.target)
        }
        try Task.checkCancellation()
        return outcome
    }
}

/// The targets that probes contact now, each with the number of its probes: the last one closes the connections.
final class RunningProbes: Sendable {
    private let counts = Mutex<[PrinterTarget: Int]>([:])

    func begin(_ target: PrinterTarget) { counts.withLock { $0[target, default: 0] += 1 } }

    /// Whether no other probe contacts the target.
    func end(_ target: PrinterTarget) -> Bool {
        counts.withLock { counts in
            guard let count = counts[target], count > 1 else {
                counts[target] = nil
                return true
            }
            counts[target] = count - 1
            return false
        }
    }
}

/// One contact with a printer, and a look at the identity that it shows.
struct PrinterProbe: Sendable {
    let printer: SavedPrinter
    let transport: any Transport
    let clock: EngineClock

    /// Each of the two steps gets this long.
    private static let deadline = Duration.seconds(20)

    func run() async -> ProbeOutcome {
        var outcome = ProbeOutcome()
        do {
            outcome.report = try await limited("contact") { try await transport.contact(printer.target) }
        } catch {
            outcome.failure = error
            outcome.identity = error.identity.map { JudgedIdentity($0, refusal: error) }
            guard error.code != .cancelled else { return outcome }
        }
        if outcome.identity == nil, showsIdentity(outcome.failure) {
            outcome.identity = try? await limited("handshake") { try await transport.identity(of: printer.target) }
        }
        return outcome
    }

    /// Whether a printer is worth asking who it is: it was reached, and its scheme has an answer.
    private func showsIdentity(_ failure: TransportError?) -> Bool {
        let isReached = failure.map { Obstacle($0.code) != nil } ?? true
        switch printer.url.scheme {
        case .ipps, .sshLpr, .socket: return isReached
        case .ipp: return failure?.code == .tlsRequired || printer.trust?.demandsTLS == true
        default: return false
        }
    }

    private func limited<Value: Sendable>(
        _ operation: String, _ work: @escaping @Sendable () async throws -> Value
    ) async throws(TransportError) -> Value {
        do {
            return try await withThrowingTaskGroup(of: Value.self) { group in
                group.addTask { try await work() }
                group.addTask {
                    try await clock.sleep(Self.deadline)
                    throw TransportError(
                        .timedOut, operation: operation,
                        message: "\(printer.url) did not answer in time; see whether it is on and connected")
                }
                defer { group.cancelAll() }
                guard let value = try await group.next() else { throw CancellationError() }
                return value
            }
        } catch let error as TransportError {
            throw error
        } catch {
            throw TransportError(.cancelled, operation: operation, message: "the probe was cancelled")
        }
    }
}

extension Trust {
    /// Whether a connection under `ipp://` begins with the upgrade to TLS.
    fileprivate var demandsTLS: Bool {
        switch self {
        case .caFile, .pinned, .ask: true
        case .system, .knownHosts, .none: false
        }
    }
}
