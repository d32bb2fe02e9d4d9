import KioskPrintModel
import KioskTLS
import NIOCore
import NIOPosix
import Synchronization

/// Whether the connections to one printer use TLS, and with which parameters.
final class TLSPolicy: Sendable {
    /// Who demands TLS of a printer under a plain URL (RFC 2817).
    private enum Demand {
        case none
        /// The printer responded with 426; no upgrade has succeeded yet.
        case demanded
        /// The printer upgraded once; nothing goes out in clear any more.
        case upgraded
        /// The printer responded with 426, and then did not upgrade. No document goes out in clear; other requests do,
        /// to see whether that has changed.
        case refused
        /// The printer's `trust` demands it: nothing ever goes out in clear.
        case trust
    }

    private struct State {
        var demand = Demand.none
        /// Whether the printer responded with 426 to a document: that it serves other requests in clear proves nothing
        /// then.
        var isDemandedForDocuments = false
    }

    private let contexts: TLSContextCache
    private let target: PrinterTarget
    private let state = Mutex(State())

    init(_ target: PrinterTarget, credentials: (any CredentialSource)?, threadPool: NIOThreadPool) {
        self.target = target
        contexts = TLSContextCache(target, credentials: credentials, threadPool: threadPool)
        if isDemandedByTrust { state.withLock { $0.demand = .trust } }
    }

    /// The name of the credentials whose client certificate the newest context shows.
    var identity: String? { contexts.identity }

    /// How to make the next connection. `allowsUnchecked`: see `TLSContextCache`.
    func next(
        forDocument isDocument: Bool, on eventLoop: any EventLoop, allowsUnchecked: Bool
    ) async throws -> Connector.Security {
        if target.url.scheme == .ipps {
            return .tls(try await contexts.parameters(on: eventLoop, allowsUnchecked: allowsUnchecked))
        }
        switch state.withLock({ $0.demand }) {
        case .none: return .clear
        case .refused where !isDocument: return .clear
        case .demanded, .upgraded, .refused, .trust:
            return .upgrade(try await contexts.parameters(on: eventLoop, allowsUnchecked: false))
        }
    }

    /// Whether a connection of this kind may carry a request now.
    func allows(isSecure: Bool, isDocument: Bool) -> Bool {
        isSecure || state.withLock { $0.demand == .none || $0.demand == .refused && !isDocument }
    }

    /// Whether the printer's `trust` names a way to prove its identity although its URL is a plain one. `system` is the
    /// default of printers that name none, and so demands nothing.
    var isDemandedByTrust: Bool {
        guard target.url.scheme == .ipp else { return false }
        return switch target.trust {
        case .ask, .pinned, .caFile, .knownHosts: true
        case .system, .none: false
        }
    }

    var isUpgradeDemanded: Bool { state.withLock { $0.demand != .none } }

    /// Notes that the printer responded with 426.
    func demanded(forDocument isDocument: Bool) {
        learn(.demanded)
        if isDocument { state.withLock { $0.isDemandedForDocuments = true } }
    }

    func upgraded() { if isUpgradeDemanded { learn(.upgraded) } }

    func upgradeRefused() { learn(.refused) }

    /// Notes that a request that went out in clear was served.
    func servedInClear() {
        state.withLock { if $0.demand == .refused, !$0.isDemandedForDocuments { $0.demand = .none } }
    }

    /// A demand that was kept once, or that the admin made, is never taken back.
    private func learn(_ demand: Demand) {
        state.withLock { if $0.demand != .upgraded, $0.demand != .trust { $0.demand = demand } }
    }

    /// The failure of an upgrade, with who demanded it. A printer that hangs up, or sends something else, refuses the
    /// upgrade as well.
    func explained(_ failure: HTTPFailure) -> HTTPFailure {
        guard target.url.scheme == .ipp else { return failure }
        let response: HTTPFailure.UpgradeResponse
        switch failure.cause {
        case .upgradeRefused(let refusal, _): response = refusal
        case .closedEarly: response = .hangsUp
        case .malformed(let reason): response = .malformed(reason)
        default: return failure
        }
        let cause = HTTPFailure.Cause.upgradeRefused(response, trust: isDemandedByTrust ? target.trust : nil)
        return HTTPFailure(cause: cause, nothingAccepted: true)
    }
}
