import PrintModel

extension TransportError {
    /// Why the printer got no login that it takes, in words for people.
    static func explain(_ failure: LoginFailure, printer: PrinterURL) -> (Code, String, NativeCode?) {
        let place = failure.realm.map { " for \"\($0.cleaned)\"" } ?? ""
        let schemes = failure.schemes.map(\.cleaned).joined(separator: ", ")
        let offer = schemes.isEmpty ? "" : " (\(schemes))"
        let (code, words): (Code, String) =
            switch failure.reason {
            case .noneSaved:
                (
                    .authenticationRequired,
                    "the printer wants a login\(place)\(offer), and none is saved for it; put its user and password into the secrets file, and name them in the registry (`credentials: NAME`)"
                )
            case .noUser(let name):
                (
                    .credentialsUnusable,
                    "the printer wants a login\(place)\(offer), and the credentials \"\(name)\" have no user and password; add them in the secrets file"
                )
            case .notPrivate:
                (
                    .authenticationRequired,
                    "the printer wants a login\(place)\(offer), and none is sent over a connection that others can read; save it with ipps:// in place of ipp://, or allow that with `login-without-tls: true`"
                )
            case .notVerified:
                (
                    .authenticationRequired,
                    "the printer wants a login\(place)\(offer), and none is sent to whoever answers (`trust: none`); pin its certificate with `kioskctl printers trust`, or allow that with `login-without-tls: true`"
                )
            case .weakened:
                (
                    .authenticationRequired,
                    "the printer took Digest before, and something wants the password itself now\(place)\(offer), over a connection that others can read, so it was not sent; find out who answers in its place, or, where the printer was changed on purpose, save it with ipps:// or restart this program"
                )
            case .noKnownScheme:
                (
                    .authenticationRequired,
                    "the printer wants a login\(place) in a way that this program does not have\(offer); switch it to Digest or Basic"
                )
            case .refused(let user, let name):
                (
                    .loginRefused,
                    "the printer refused the login of the user \"\(user.cleaned)\" (credentials \"\(name)\")\(place); correct the user or password in the secrets file"
                )
            case .unusable(let words): (.credentialsUnusable, words)
            case .colonInUser(let name):
                (
                    .credentialsUnusable,
                    "the printer wants a Basic login\(place), which cannot carry the colon in the user name of the credentials \"\(name)\"; choose a user without one, or switch the printer to Digest"
                )
            case .controlCharacter(let name):
                (
                    .credentialsUnusable,
                    "the credentials \"\(name)\" have a control character in user or password, which no login can carry; correct them in the secrets file"
                )
            }
        return (code, "\(printer): \(words)", .httpStatus(401))
    }
}
