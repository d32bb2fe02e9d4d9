import KioskPrintModel
import KioskTLS

extension TransportError {
    /// Explains to a person why there is no TLS connection. `identity` names the credentials whose certificate we sent.
    static func explain(
        _ error: TLSError, identity: String?, printer: PrinterURL, sent: String
    ) -> (Code, String, NativeCode?) {
        let (code, reason): (Code, String) =
            switch error.code {
            case .untrusted:
                (
                    .certificateUntrusted,
                    "the printer's certificate is not trusted (\(error.reason.cleaned)\(otherHost(error))), so nothing was sent; inspect it with `kioskctl printers trust` and the printer's id, and accept it there, or name its CA (`trust: ca:/path/to/ca.pem`)"
                )
            case .changed(let pins):
                (
                    .certificateChanged,
                    "the printer's key has changed from \(pins.map(\.description).joined(separator: " or ")) to \(key(of: error)), so nothing was sent; if its certificate was renewed on purpose, accept the new one with `kioskctl printers trust` and the printer's id, else find out which machine answers in its place"
                )
            case .notAccepted:
                (
                    .certificateNotAccepted,
                    "nobody has accepted the printer's certificate yet (key \(key(of: error))), so nothing was sent; inspect it with `kioskctl printers trust` and the printer's id, and accept it there"
                )
            case .unusableTrust:
                (
                    .certificateUntrusted,
                    "\(error.reason.cleaned), so the printer's certificate cannot be verified, and nothing was sent; put the CA's certificate there as PEM, or correct the printer's `trust`"
                )
            case .badIdentity: (.credentialsUnusable, error.reason.cleaned)
            case .clientRefused: clientRefused(error, identity: identity)
            case .handshakeFailed:
                (
                    .tlsFailed,
                    "the TLS handshake with the printer failed (\(error.reason.cleaned)); check that the port in its URL is one for TLS, and that it speaks TLS 1.2 or newer"
                )
            case .truncated, .broken:
                (.connectionLost, "the TLS connection broke (\(error.reason.cleaned))\(sent)")
            }
        return (code, "\(printer): \(reason)", error.native)
    }

    /// Names the hosts of a certificate for another host: often the printer is only saved under the wrong name.
    private static func otherHost(_ error: TLSError) -> String {
        // X509_V_ERR_HOSTNAME_MISMATCH and X509_V_ERR_IP_ADDRESS_MISMATCH of x509_vfy.h.
        guard let names = error.certificate?.names, !names.isEmpty,
            error.native == .certificateVerification(62) || error.native == .certificateVerification(64)
        else { return "" }
        return
            ": it is for \(names.prefix(5).map(\.cleaned).joined(separator: ", "))\(names.count > 5 ? " and others" : "")"
    }

    private static func key(of error: TLSError) -> String {
        error.certificate?.keyFingerprint.description ?? "one that cannot be read"
    }

    private static func clientRefused(_ error: TLSError, identity: String?) -> (Code, String) {
        if let identity {
            (
                .loginRefused,
                "the printer refused the client certificate of the credentials \"\(identity)\" (\(error.reason.cleaned)); check that it is the right one, and not expired"
            )
        } else {
            (
                .authenticationRequired,
                "the printer requires a client certificate (\(error.reason.cleaned)), and none is saved for it; name its file in the secrets file, and name those credentials in the registry (`credentials: NAME`)"
            )
        }
    }
}

extension TransportError {
    /// Explains to a person why the printer was sent no login, or refused the one it got.
    static func explain(_ failure: LoginFailure, printer: PrinterURL) -> (Code, String, NativeCode?) {
        let place = failure.realm.map { " for \"\($0.cleaned)\"" } ?? ""
        let schemes = failure.schemes.map(\.cleaned).joined(separator: ", ")
        let offer = schemes.isEmpty ? "" : " (\(schemes))"
        let (code, reason): (Code, String) =
            switch failure.offersKnownScheme ? failure.reason : .noKnownScheme {
            case .noneSaved where failure.offersTokensAlone:
                (
                    .authenticationRequired,
                    "the printer requires a token\(place)\(offer), and none is saved for it; put it into the secrets file (`token: …`), and name it in the registry (`credentials: NAME`)"
                )
            case .noneSaved:
                (
                    .authenticationRequired,
                    "the printer requires a login\(place)\(offer), and none is saved for it; put its user and password into the secrets file, and name them in the registry (`credentials: NAME`)"
                )
            case .noUser(let name):
                (
                    .credentialsUnusable,
                    "the printer requires a login\(place)\(offer), but the credentials \"\(name)\" have no user and password; add them in the secrets file"
                )
            case .noToken(let name):
                (
                    .credentialsUnusable,
                    "the printer requires a token\(place)\(offer), but the credentials \"\(name)\" have none; add it in the secrets file (`token: …`)"
                )
            case .tokenRefused(let name):
                (
                    .loginRefused,
                    "the printer refused the token of the credentials \"\(name)\"\(place); put a valid one into the secrets file"
                )
            case .notPrivate:
                (
                    .authenticationRequired,
                    "the printer requires a login\(place)\(offer), but none is sent over a connection that others can read; save the printer with ipps:// in place of ipp://, or allow this with `login-without-tls: true`"
                )
            case .notVerified:
                (
                    .authenticationRequired,
                    "the printer requires a login\(place)\(offer), but none is sent to an unverified printer (`trust: none`); pin its certificate with `kioskctl printers trust`, or allow this with `login-without-tls: true`"
                )
            case .weakened:
                (
                    .authenticationRequired,
                    "the printer accepted Digest before, but now the password itself is requested\(place)\(offer) over a connection that others can read, so it was not sent; find out which machine answers in its place, or, if the printer was changed on purpose, save it with ipps:// or restart this program"
                )
            case .noKnownScheme:
                (
                    .authenticationRequired,
                    "the printer requires a login\(place) with a scheme that this program does not support\(offer), so no user and password would help; switch it to Digest or Basic"
                )
            case .refused(let user, let name):
                (
                    .loginRefused,
                    "the printer refused the login of the user \"\(user.cleaned)\" (credentials \"\(name)\")\(place); correct the user or password in the secrets file"
                )
            case .unusable(let reason): (.credentialsUnusable, reason)
            case .colonInUser(let name):
                (
                    .credentialsUnusable,
                    "the printer requires a Basic login\(place), which cannot carry the colon in the user name of the credentials \"\(name)\"; choose a user without one, or switch the printer to Digest"
                )
            case .controlCharacter(let name):
                (
                    .credentialsUnusable,
                    "the user or password of the credentials \"\(name)\" has a control character, which no login can carry; correct them in the secrets file"
                )
            }
        return (code, "\(printer): \(reason)", .httpStatus(401))
    }
}
