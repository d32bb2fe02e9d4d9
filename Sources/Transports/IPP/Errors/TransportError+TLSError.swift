import PrintModel
import TLS

extension TransportError {
    /// Why there is no TLS connection, in words for people. `identity`: the credentials whose certificate we showed.
    static func explain(_ error: TLSError, identity: String?, printer: PrinterURL, sent: String) -> (Code, String, NativeCode?) {
        let (code, words): (Code, String) =
            switch error.code {
            case .untrusted:
                (.certificateUntrusted, "the printer's certificate does not hold (\(error.reason.cleaned)), so nothing was sent; look at it with `kioskctl printers trust` and the printer's id, and accept it there, or name its CA (`trust: ca:/path/to/ca.pem`)")
            case .changed(let pins):
                (.certificateChanged, "the printer's key has changed from \(pins.map(\.description).joined(separator: " or ")) to \(key(of: error)), so nothing was sent; if its certificate was renewed on purpose, accept the new one with `kioskctl printers trust` and the printer's id, else find out who answers in its place")
            case .notAccepted:
                (.certificateNotAccepted, "nobody has accepted the printer's certificate yet (key \(key(of: error))), so nothing was sent; look at it with `kioskctl printers trust` and the printer's id, and accept it there")
            case .badIdentity: (.credentialsUnusable, error.reason.cleaned)
            case .clientRefused: refused(error, identity: identity)
            case .handshakeFailed:
                (.tlsFailed, "no TLS came about with the printer (\(error.reason.cleaned)); check that the port in its URL is one for TLS, and that it speaks TLS 1.2 or newer")
            case .truncated, .broken:
                (.connectionLost, "the TLS connection broke (\(error.reason.cleaned))\(sent)")
            }
        return (code, "\(printer): \(words)", error.native)
    }

    private static func key(of error: TLSError) -> String {
        error.certificate?.keyFingerprint.description ?? "one that cannot be read"
    }

    private static func refused(_ error: TLSError, identity: String?) -> (Code, String) {
        if let identity {
            (.loginRefused, "the printer refused the client certificate of the credentials \"\(identity)\" (\(error.reason.cleaned)); check that it is the right one, and not expired")
        } else {
            (.authenticationRequired, "the printer wants a client certificate (\(error.reason.cleaned)), and none is saved for it; name its file in the secrets file, and those credentials in the registry (`credentials: NAME`)")
        }
    }
}
