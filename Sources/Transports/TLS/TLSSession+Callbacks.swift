import COpenSSL

// C functions for SSL_CTX; each finds its session in the SSL object.
extension TLSSession {
    /// SSL_CTX_set_cert_verify_callback(3): 1 goes on, 0 ends the handshake with an alert.
    static let certificateShown: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = { check, _ in
        guard let check,
            let ssl = X509_STORE_CTX_get_ex_data(check, SSL_get_ex_data_X509_STORE_CTX_idx()),
            let session = attached(to: OpaquePointer(ssl))
        else { return 0 }
        let isAccepted = session.decide(check)
        if isAccepted {
            X509_STORE_CTX_set_error(check, X509_V_OK)
        } else if X509_STORE_CTX_get_error(check) == X509_V_OK {
            X509_STORE_CTX_set_error(check, X509_V_ERR_CERT_UNTRUSTED)
        }
        return isAccepted ? 1 : 0
    }

    /// SSL_CTX_set_cert_cb(3): in a client, called when the server asked for a certificate. 1 goes on.
    static let certificateWanted: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = { ssl, _ in
        attached(to: ssl)?.noteAskedForCertificate()
        return 1
    }

    /// SSL_CTX_sess_set_new_cb(3): 1 keeps the reference that comes with the call.
    static let sessionGiven: @convention(c) (OpaquePointer?, OpaquePointer?) -> Int32 = { ssl, given in
        guard let given, let session = attached(to: ssl) else { return 0 }
        session.keep(.session(given))
        return 1
    }

    /// SSL_CTX_set_alpn_select_cb(3): the answer points into the client's offer.
    static let protocolsOffered:
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt8>?,
            UnsafePointer<UInt8>?, UInt32, UnsafeMutableRawPointer?
        ) -> Int32 = { ssl, chosen, length, offer, count, _ in
            guard let session = attached(to: ssl) else { return SSL_TLSEXT_ERR_ALERT_FATAL }
            let offered = names(in: UnsafeBufferPointer(start: offer, count: Int(count)))
            for name in session.context.applicationProtocols {
                guard let match = offered.first(where: { $0.elementsEqual(name.utf8) }) else { continue }
                chosen?.pointee = match.baseAddress
                length?.pointee = UInt8(clamping: match.count)
                return SSL_TLSEXT_ERR_OK
            }
            return SSL_TLSEXT_ERR_ALERT_FATAL
        }

    private static func names(in offer: UnsafeBufferPointer<UInt8>) -> [UnsafeBufferPointer<UInt8>] {
        var names: [UnsafeBufferPointer<UInt8>] = []
        var rest = offer[...]
        while let length = rest.popFirst(), length > 0, rest.count >= Int(length) {
            names.append(UnsafeBufferPointer(rebasing: rest.prefix(Int(length))))
            rest = rest.dropFirst(Int(length))
        }
        return names
    }
}
