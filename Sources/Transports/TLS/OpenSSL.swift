import CKioskOpenSSL
import KioskPrintModel

/// The errors that OpenSSL left in this thread's error queue.
///
/// SSL_get_error(3) reads the queue to explain a failed call. So the queue is emptied before every call and after every
/// failure; otherwise one connection could report another one's error.
struct OpenSSLErrors {
    /// ERR_get_error's packed codes, the oldest first. At most `limit` are kept.
    private var codes: [UInt] = []
    private static let limit = 16

    /// Takes all errors from the queue.
    static func drain() -> OpenSSLErrors {
        var errors = OpenSSLErrors()
        while true {
            let code = ERR_get_error()
            guard code != 0 else { return errors }
            if errors.codes.count < limit { errors.codes.append(code) }
        }
    }

    static func clear() { ERR_clear_error() }

    /// The oldest error, which is the cause. The later ones come from the callers that passed it on.
    var first: UInt? { codes.first }

    /// The oldest error as the native code of a `TLSError`.
    var native: TransportError.NativeCode? { first.map { .openSSL($0) } }

    /// Whether one of the errors has this reason and comes from this library.
    func contains(library: Int32, reason: Int32) -> Bool {
        codes.contains { ERR_GET_LIB($0) == library && ERR_GET_REASON($0) == reason }
    }

    func contains(reason: Int32) -> Bool {
        codes.contains { ERR_GET_REASON($0) == reason }
    }

    /// The reason code of the first error of the SSL library, if there is one.
    var tlsReason: Int32? {
        codes.first { ERR_GET_LIB($0) == ERR_LIB_SSL }.map { ERR_GET_REASON($0) }
    }

    /// OpenSSL's text for the cause.
    var text: String {
        guard let first else { return "OpenSSL gives no reason" }
        guard let text = ERR_reason_error_string(first) else { return "OpenSSL error \(String(first, radix: 16))" }
        return String(cString: text)
    }
}

/// One reference to a reference-counted OpenSSL object (X509, EVP_PKEY, SSL_CTX, SSL_SESSION), released in `deinit`.
///
/// Unchecked: OpenSSL counts these references with atomics, and no object changes once it is shared
/// (openssl-threads(7)).
final class OpenSSLReference: @unchecked Sendable {
    let pointer: OpaquePointer
    private let free: @Sendable (OpaquePointer?) -> Void

    /// Takes over a reference that the caller holds.
    init(_ pointer: OpaquePointer, _ free: @escaping @Sendable (OpaquePointer?) -> Void) {
        self.pointer = pointer
        self.free = free
    }

    deinit { free(pointer) }

    static func x509(_ pointer: OpaquePointer) -> OpenSSLReference { OpenSSLReference(pointer) { X509_free($0) } }
    static func key(_ pointer: OpaquePointer) -> OpenSSLReference { OpenSSLReference(pointer) { EVP_PKEY_free($0) } }
    static func session(_ pointer: OpaquePointer) -> OpenSSLReference {
        OpenSSLReference(pointer) { SSL_SESSION_free($0) }
    }
}
