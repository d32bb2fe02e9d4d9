import CKioskOpenSSL

/// The private key of a signer (RFC 8032, Ed25519), which OpenSSL holds, and overwrites when it is released.
///
/// The pointer is set once, and OpenSSL only reads what is behind it.
final class Ed25519PrivateKey: @unchecked Sendable {
    private let key: OpaquePointer

    /// In bytes.
    static let seedLength = 32

    /// Throws `library-failed` where OpenSSL takes no such key. `seed` has `seedLength` bytes.
    init(seed: [UInt8]) throws(FleetError) {
        guard let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count) else {
            throw FleetError.openSSL("take an Ed25519 key")
        }
        self.key = key
    }

    deinit { EVP_PKEY_free(key) }

    /// Calls `body` with the seed, and overwrites this copy of it.
    func withSeed<Result>(_ body: ([UInt8]) -> Result) throws(FleetError) -> Result {
        var (seed, count) = ([UInt8](repeating: 0, count: Self.seedLength), Self.seedLength)
        defer { OPENSSL_cleanse(&seed, seed.count) }
        guard EVP_PKEY_get_raw_private_key(key, &seed, &count) == 1, count == seed.count else {
            throw FleetError.openSSL("give an Ed25519 key")
        }
        return body(seed)
    }

    /// The public key, 32 bytes.
    func publicKey() throws(FleetError) -> [UInt8] {
        var (bytes, count) = ([UInt8](repeating: 0, count: Ed25519.publicKeyLength), Ed25519.publicKeyLength)
        guard EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1, count == bytes.count else {
            throw FleetError.openSSL("give an Ed25519 key")
        }
        return bytes
    }

    /// The signature of a message, 64 bytes.
    func signature(of message: [UInt8]) throws(FleetError) -> [UInt8] {
        var (signature, count) = ([UInt8](repeating: 0, count: Ed25519.signatureLength), Ed25519.signatureLength)
        guard let context = EVP_MD_CTX_new() else { throw FleetError.openSSL("sign") }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestSignInit(context, nil, nil, nil, key) == 1,
            EVP_DigestSign(context, &signature, &count, message, message.count) == 1, count == signature.count
        else { throw FleetError.openSSL("sign with an Ed25519 key") }
        return signature
    }
}

/// Checks signatures of Ed25519.
enum Ed25519 {
    /// In bytes.
    static let publicKeyLength = 32
    static let signatureLength = 64

    /// Whether the signature is one of this message by the owner of the key. Bytes that are no key or no signature
    /// make none.
    static func isValid(_ signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]) throws(FleetError) -> Bool {
        defer { ERR_clear_error() }
        guard signature.count == signatureLength, publicKey.count == publicKeyLength,
            let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, publicKey, publicKey.count)
        else { return false }
        defer { EVP_PKEY_free(key) }
        guard let context = EVP_MD_CTX_new() else { throw FleetError.openSSL("check a signature") }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1 else {
            throw FleetError.openSSL("check a signature of Ed25519")
        }
        return EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
}

extension FleetError {
    fileprivate static func openSSL(_ operation: String) -> FleetError {
        ERR_clear_error()
        return FleetError(
            .libraryFailed, "OpenSSL cannot \(operation); check its provider configuration (openssl.cnf)")
    }
}
