/// What one request may still try after an answer 401. No I/O.
///
/// A password goes out at most once a request for the printer to judge it; printers lock logins after a few wrong ones.
struct LoginAttempt {
    enum Step: Hashable {
        /// Read the credentials and answer with them; `unlessSame`: only if they are not the ones that were refused.
        case logIn(unlessSame: Bool)
        /// The password was right: the same again, for the new nonce.
        case renew
        case giveUp
    }

    private var hasRenewed = false
    private var hasLoggedIn = false

    mutating func refused(_ sent: LoginMemory.Sent?, challenges: [AuthenticationChallenge]) -> Step {
        guard let sent else {
            guard !hasLoggedIn else { return .giveUp }
            hasLoggedIn = true
            return .logIn(unlessSame: false)
        }
        if sent.isDigest, !hasRenewed, challenges.lazy.compactMap(DigestChallenge.init).contains(where: \.isStale) {
            hasRenewed = true
            return .renew
        }
        guard sent.wasProven, !hasLoggedIn else { return .giveUp }
        // What worked once fails for another reason than the password: a printer that was switched off and on knows its
        // nonces no more, and not all say `stale`. Or the password was changed, here as well perhaps.
        hasLoggedIn = true
        return .logIn(unlessSame: !isNew(sent.challenge, among: challenges))
    }

    /// Whether the nonce, or what the login is for, is another now, which explains the refusal of a right password.
    private func isNew(_ challenge: DigestChallenge?, among challenges: [AuthenticationChallenge]) -> Bool {
        guard let challenge else { return false }
        return !challenges.lazy.compactMap(DigestChallenge.init).contains {
            $0.realm == challenge.realm && $0.nonce == challenge.nonce
        }
    }
}
