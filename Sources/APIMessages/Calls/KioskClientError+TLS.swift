package import KioskPrintModel

// The errors of a connection over TLS. Nothing was sent in any of them.
extension KioskClientError {
    /// No CA of this system vouches for the certificate, or it names another host; `reason` is OpenSSL's.
    package static func untrusted(_ reason: String, key: Fingerprint, _ host: RemoteHost) -> KioskClientError {
        KioskClientError(
            .certificateNotTrusted,
            message: "\(host) does not prove that it is the kiosk (\(reason)); nothing was sent; its key is \(key): "
                + "compare it with the one that `kioskctl server` shows at the kiosk, and where both are the same, "
                + "add --host-fingerprint \(key) or set $\(RemoteHost.fingerprintKey)",
            address: .host(host))
    }

    /// The host has another key than the pinned one. `certificate` is the fingerprint of what it shows, which people
    /// take for that of the key.
    package static func changed(key: Fingerprint, certificate: Fingerprint, _ host: RemoteHost) -> KioskClientError {
        let pinned = host.fingerprint.map(\.description) ?? ""
        let advice =
            certificate == host.fingerprint
            ? "\(pinned) is the fingerprint of its certificate, which changes when it is renewed; name its key"
            : "where the kiosk was set up anew, compare it with the one that `kioskctl server` shows there, and name it; "
                + "else somebody may be in the way"
        return KioskClientError(
            .certificateNotTrusted,
            message: "\(host) shows the key \(key), not the pinned \(pinned); nothing was sent; \(advice)",
            address: .host(host))
    }

    /// The handshake failed; `reason` is OpenSSL's.
    package static func tlsFailed(_ reason: String, _ host: RemoteHost) -> KioskClientError {
        KioskClientError(
            .tlsFailed,
            message: "\(host) and this program cannot agree on TLS: \(reason); nothing was sent; check that kioskd "
                + "listens there with TLS",
            address: .host(host))
    }

    /// This machine has no OpenSSL that can be used.
    package static func withoutTLS(_ reason: String, _ host: RemoteHost) -> KioskClientError {
        KioskClientError(
            .tlsFailed, message: "TLS cannot be used here: \(reason); nothing was sent to \(host)",
            address: .host(host))
    }
}
