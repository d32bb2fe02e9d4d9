import CKioskOpenSSL
import KioskPrintModel

/// Encrypts with a passphrase: scrypt (RFC 7914) makes the key, AES-256-GCM (NIST SP 800-38D) encrypts and
/// authenticates. OpenSSL does both. A call takes tenths of a second and the memory that `Cost` says, and blocks.
package struct PassphraseCipher {
    /// scrypt's parameters.
    package struct Cost: Hashable, Sendable {
        /// The logarithm of N to the base 2; the memory is 1 kB times N.
        package var logarithm: Int
        /// The block size r is 8 (RFC 7914 §2).
        static let blockSize = 8
        /// The parallelization p.
        static let parallelization = 1

        /// 128 MB, as OWASP's Password Storage Cheat Sheet asks for.
        package static let standard = Cost(logarithm: 17)
        /// Those that are accepted from a file. More would take the memory of a small machine.
        static let accepted = 14...18

        package init(logarithm: Int) { self.logarithm = logarithm }
    }

    static let saltLength = 16
    /// SP 800-38D §8.2: 96 bits.
    static let nonceLength = 12
    static let tagLength = 16
    private static let keyLength = 32

    private let key: [UInt8]

    /// Derives the key.
    init(_ passphrase: Secret, salt: [UInt8], cost: Cost) throws(BackupError) {
        let text = Array(passphrase.reveal().utf8)
        var key = [UInt8](repeating: 0, count: Self.keyLength)
        let n = UInt64(1) << UInt64(cost.logarithm)
        // 128 · N · r for the table, and room for the blocks (RFC 7914 §5).
        let memory = n * UInt64(Cost.blockSize) * 128 + (1 << 20)
        let result = text.withUnsafeBytes { text in
            EVP_PBE_scrypt(
                text.baseAddress?.assumingMemoryBound(to: CChar.self), text.count, salt, salt.count, n,
                UInt64(Cost.blockSize), UInt64(Cost.parallelization), memory, &key, key.count)
        }
        guard result == 1 else {
            ERR_clear_error()
            throw BackupError("OpenSSL cannot derive a key with scrypt; see that 256 MB of memory are free")
        }
        self.key = key
    }

    /// Returns the ciphertext with its tag behind it.
    func encrypt(
        _ content: [UInt8], nonce: [UInt8], authenticating associated: [UInt8]
    ) throws(BackupError) -> [UInt8] {
        let context = try CipherContext()
        var output = [UInt8](repeating: 0, count: content.count)
        var tag = [UInt8](repeating: 0, count: Self.tagLength)
        var count: Int32 = 0
        guard EVP_EncryptInit_ex(context.pointer, EVP_aes_256_gcm(), nil, key, nonce) == 1,
            EVP_EncryptUpdate(context.pointer, nil, &count, associated, Int32(associated.count)) == 1,
            EVP_EncryptUpdate(context.pointer, &output, &count, content, Int32(content.count)) == 1,
            EVP_EncryptFinal_ex(context.pointer, nil, &count) == 1,
            EVP_CIPHER_CTX_ctrl(context.pointer, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), &tag) == 1
        else {
            ERR_clear_error()
            throw BackupError("OpenSSL cannot encrypt with AES-256-GCM; check its provider configuration (openssl.cnf)")
        }
        return output + tag
    }

    /// Returns the content; nil where the key is another one or any byte was changed.
    func decrypt(
        _ sealed: [UInt8], nonce: [UInt8], authenticating associated: [UInt8]
    ) throws(BackupError) -> [UInt8]? {
        guard sealed.count >= Self.tagLength else { return nil }
        let content = Array(sealed.dropLast(Self.tagLength))
        var tag = Array(sealed.suffix(Self.tagLength))
        let context = try CipherContext()
        defer { ERR_clear_error() }
        var output = [UInt8](repeating: 0, count: content.count)
        var count: Int32 = 0
        guard EVP_DecryptInit_ex(context.pointer, EVP_aes_256_gcm(), nil, key, nonce) == 1,
            EVP_DecryptUpdate(context.pointer, nil, &count, associated, Int32(associated.count)) == 1,
            EVP_DecryptUpdate(context.pointer, &output, &count, content, Int32(content.count)) == 1,
            EVP_CIPHER_CTX_ctrl(context.pointer, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1,
            EVP_DecryptFinal_ex(context.pointer, nil, &count) == 1
        else { return nil }
        return output
    }
}

/// An `EVP_CIPHER_CTX`, freed with its owner.
private struct CipherContext: ~Copyable {
    let pointer: OpaquePointer

    init() throws(BackupError) {
        guard let pointer = EVP_CIPHER_CTX_new() else { throw BackupError("OpenSSL is out of memory for a cipher") }
        self.pointer = pointer
    }

    deinit { EVP_CIPHER_CTX_free(pointer) }
}
