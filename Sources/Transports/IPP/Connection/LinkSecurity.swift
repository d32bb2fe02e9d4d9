import NIOCore
import NIOPosix
import PrintModel
import Synchronization
import TLS

/// How one printer's connections are made private: what TLS needs, its sessions, and whether TLS is demanded.
final class LinkSecurity: Sendable {
    /// What is known of TLS for a printer under a plain URL (RFC 2817).
    private enum Demand {
        case none
        /// It answered 426; no upgrade has come about yet.
        case asked
        /// It took the upgrade once; nothing goes out in clear any more.
        case upgraded
        /// It answered 426, and then did not upgrade: no document goes out in clear, but questions whether it still is
        /// so.
        case refused
        /// Its `trust` demands it: nothing ever goes out in clear.
        case named
    }

    private struct State {
        var demand = Demand.none
        /// Whether it answered 426 to a document: that it serves questions in clear proves nothing then.
        var isDemandedForDocuments = false
    }

    private let contexts: TLSContextKeeper
    private let target: PrinterTarget
    private let state = Mutex(State())

    init(_ target: PrinterTarget, credentials: (any CredentialSource)?, threadPool: NIOThreadPool) {
        self.target = target
        contexts = TLSContextKeeper(target, credentials: credentials, threadPool: threadPool)
        if isDemandedByTrust { state.withLock { $0.demand = .named } }
    }

    /// The name of the credentials whose client certificate the newest context shows.
    var identity: String? { contexts.identity }

    /// How the next connection is to be made. `mayGuess`: see `TLSContextKeeper`.
    func next(
        forDocument isDocument: Bool, on eventLoop: any EventLoop, mayGuess: Bool
    ) async throws -> Connector.Security {
        if target.url.scheme == .ipps { return .tls(try await contexts.terms(on: eventLoop, mayGuess: mayGuess)) }
        switch state.withLock({ $0.demand }) {
        case .none: return .clear
        case .refused where !isDocument: return .clear
        case .asked, .upgraded, .refused, .named:
            return .upgrade(try await contexts.terms(on: eventLoop, mayGuess: false))
        }
    }
}

// RFC 2817.
extension LinkSecurity {
    /// Whether a connection of this kind may carry a request now.
    func allows(isSecure: Bool, isDocument: Bool) -> Bool {
        isSecure || state.withLock { $0.demand == .none || $0.demand == .refused && !isDocument }
    }

    /// Whether somebody named a way to prove this printer's identity although its URL is a plain one. `system` is what
    /// everything has that names none, and so demands nothing.
    var isDemandedByTrust: Bool {
        guard target.url.scheme == .ipp else { return false }
        return switch target.trust {
        case .ask, .pinned, .caFile, .knownHosts: true
        case .system, .none: false
        }
    }

    var isUpgradeDemanded: Bool { state.withLock { $0.demand != .none } }

    func demanded(forDocument isDocument: Bool) {
        learn(.asked)
        if isDocument { state.withLock { $0.isDemandedForDocuments = true } }
    }

    func upgraded() { if isUpgradeDemanded { learn(.upgraded) } }

    func upgradeRefused() { learn(.refused) }

    /// What was promised once is never taken back.
    private func learn(_ demand: Demand) {
        state.withLock { if $0.demand != .upgraded, $0.demand != .named { $0.demand = demand } }
    }

    /// A failure to upgrade, with whose demand it was; a printer that hangs up on it, or talks of something else,
    /// refuses it as well.
    func explained(_ failure: HTTPFailure) -> HTTPFailure {
        guard target.url.scheme == .ipp else { return failure }
        let answer: HTTPFailure.UpgradeAnswer
        switch failure.cause {
        case .upgradeRefused(let told, _): answer = told
        case .closedEarly: answer = .hangsUp
        case .malformed(let words): answer = .malformed(words)
        default: return failure
        }
        let cause = HTTPFailure.Cause.upgradeRefused(answer, trust: isDemandedByTrust ? target.trust : nil)
        return HTTPFailure(cause: cause, nothingTaken: true)
    }

    /// A request that went out in clear was served.
    func servedInClear() {
        state.withLock { if $0.demand == .refused, !$0.isDemandedForDocuments { $0.demand = .none } }
    }
}
