import COpenSSL

/// One reference to a counted OpenSSL object (X509, EVP_PKEY, SSL_CTX, SSL_SESSION), given back with the last of ours.
///
/// Unchecked: OpenSSL counts these with atomics, and none is changed any more once it is shared (openssl-threads(7)).
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
