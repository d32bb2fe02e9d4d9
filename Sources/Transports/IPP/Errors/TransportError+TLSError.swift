import PrintModel
import TLS

extension TransportError {
    /// Why there is no TLS connection, in words for people. `identity`: the credentials whose certificate we showed.
    static func explain(
        _ error: TLSError, identity: String?, printer: PrinterURL, sent: String
    ) -> (Code, String, NativeCode?) {
        let (code, words): (Code, String) =
            switch error.code {
            case .untrusted:
                (
                    .certificateUntrusted,
                    "the printer's certificate does not hold (\(error.reason.cleaned)\(otherHost(error))), so nothing was sent; look at it with `kioskctl printers trust` and the printer's id, and accept it there, or name its CA (`trust: ca:/path/to/ca.pem`)"
                )
            case .changed(let pins):
                (
                    .certificateChanged,
                    "the printer's key has changed from \(pins.map(\.description).joined(separator: " or ")) to \(key(of: error)), so nothing was sent; if its certificate was renewed on purpose, accept the new one with `kioskctl printers trust` and the printer's id, else find out who answers in its place"
                )
            case .notAccepted:
                (
                    .certificateNotAccepted,
                    "nobody has accepted the printer's certificate yet (key \(key(of: error))), so nothing was sent; look at it with `kioskctl printers trust` and the printer's id, and accept it there"
                )
            case .unusableTrust:
                (
                    .certificateUntrusted,
                    "\(error.reason.cleaned), so the printer's certificate cannot be judged, and nothing was sent; put the CA's certificate there as PEM, or correct the printer's `trust`"
                )
            case .badIdentity: (.credentialsUnusable, error.reason.cleaned)
            case .clientRefused: refused(error, identity: identity)
            case .handshakeFailed:
                (
                    .tlsFailed,
                    "no TLS came about with the printer (\(error.reason.cleaned)); check that the port in its URL is one for TLS, and that it speaks TLS 1.2 or newer"
                )
            case .truncated, .broken:
                (.connectionLost, "the TLS connection broke (\(error.reason.cleaned))\(sent)")
            }
        return (code, "\(printer): \(words)", error.native)
    }

    /// Whose certificate it is, where it is another host's: often the printer is only saved under the wrong name.
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

    private static func refused(_ error: TLSError, identity: String?) -> (Code, String) {
        if let identity {
            (
                .loginRefused,
                "the printer refused the client certificate of the credentials \"\(identity)\" (\(error.reason.cleaned)); check that it is the right one, and not expired"
            )
        } else {
            (
                .authenticationRequired,
                "the printer wants a client certificate (\(error.reason.cleaned)), and none is saved for it; name its file in the secrets file, and those credentials in the registry (`credentials: NAME`)"
            )
        }
    }
}
