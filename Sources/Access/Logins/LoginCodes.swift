package import KioskPrintModel
import Synchronization

/// The one-time codes that are out, and the attempts to log in with one. In memory alone: a restart voids them.
package final class LoginCodes: Sendable {
    private let state = Mutex(State())

    private struct State {
        /// By selector.
        var codes: [String: Issued] = [:]
        var throttle = LoginThrottle()
    }

    private struct Issued {
        var code: LoginCode
        var account: LocalAccount
        var madeAt: Timestamp
        var expiresAt: Timestamp
        var failures = 0

        func isUsable(at now: Timestamp) -> Bool {
            failures < maximumTries && now < expiresAt && ClockChange.isSmall(from: madeAt, to: now)
        }
    }

    /// Seconds that a code may be used.
    package static let lifetime = 600
    /// Wrong tries after which a code is void.
    package static let maximumTries = 5
    /// The most codes of one account; a further one voids its oldest.
    package static let maximumPerAccount = 4
    /// The most codes of all accounts.
    package static let maximumCount = 32

    package init() {}

    /// What became of an attempt.
    package enum Attempt: Hashable, Sendable {
        /// The code was right, and is used up.
        case redeemed(LocalAccount)
        /// It is wrong, used, void or over; nobody is told which.
        case wrong
        /// There were too many failures from this address. The code was not looked at.
        case throttled(seconds: Int)
    }

    /// Makes a code for an account. Throws where too many are out.
    package func make(
        for account: LocalAccount, at now: Timestamp
    ) throws(AccessError) -> (code: LoginCode, expiresAt: Timestamp) {
        var generator = SystemRandomNumberGenerator()
        return try make(for: account, at: now, using: &generator)
    }

    /// The same, with a generator, which must be fit for secrets.
    package func make(
        for account: LocalAccount, at now: Timestamp, using generator: inout some RandomNumberGenerator
    ) throws(AccessError) -> (code: LoginCode, expiresAt: Timestamp) {
        try state.withLock { (state) throws(AccessError) in
            state.codes = state.codes.filter { $0.value.isUsable(at: now) }
            let own = state.codes.filter { $0.value.account.uid == account.uid }
            if own.count >= Self.maximumPerAccount,
                let oldest = own.min(by: { $0.value.madeAt < $1.value.madeAt })
            {
                state.codes[oldest.key] = nil
            }
            guard state.codes.count < Self.maximumCount else {
                throw AccessError(
                    .tooMany, "\(state.codes.count) one-time codes are out; wait until one is used or over")
            }
            var code = LoginCode.random(using: &generator)
            // At most a few of 1024 are taken.
            while state.codes[code.selector] != nil { code = LoginCode.random(using: &generator) }
            let expiresAt = now.advanced(bySeconds: Self.lifetime)
            state.codes[code.selector] = Issued(code: code, account: account, madeAt: now, expiresAt: expiresAt)
            return (code, expiresAt)
        }
    }

    /// Tries a code as it was typed, from an address.
    package func redeem(_ text: String, from address: String, at now: Timestamp) -> Attempt {
        state.withLock { state in
            if let seconds = state.throttle.delay(for: address, at: now) { return .throttled(seconds: seconds) }
            guard let code = LoginCode(text), var issued = state.codes[code.selector] else {
                state.throttle.noteFailure(from: address, at: now)
                return .wrong
            }
            if issued.isUsable(at: now), issued.code.isSame(as: code) {
                state.codes[code.selector] = nil
                state.throttle.noteSuccess(from: address)
                return .redeemed(issued.account)
            }
            issued.failures += 1
            state.codes[code.selector] = issued.isUsable(at: now) ? issued : nil
            state.throttle.noteFailure(from: address, at: now)
            return .wrong
        }
    }

    /// How many codes may still be used.
    package func count(at now: Timestamp) -> Int {
        state.withLock { $0.codes.values.count { $0.isUsable(at: now) } }
    }
}
