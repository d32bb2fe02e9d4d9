import CKioskOpenSSL
import Glibc

/// The content of a small file, wiped from memory on `deinit` since it may contain a key.
final class FileContent {
    private let bytes: UnsafeMutableRawBufferPointer
    private var count = 0

    /// The maximum size of a file with certificates, keys or CAs. Debian's CA bundle has 220 kB.
    private static let limit = 4 << 20

    /// Reads a regular file. Blocks. `description` names the file in errors, for example "the CA file".
    init(_ description: String, at path: String) throws(TLSError) {
        bytes = .allocate(byteCount: Self.limit + 1, alignment: 1)
        let failure = read(path)
        guard failure == nil, count <= Self.limit else {
            throw TLSError(
                .badIdentity, reason: "\(description) \(path) \(failure ?? "is larger than \(Self.limit) bytes")")
        }
    }

    /// The content of a file that is not saved yet. Nil where it is longer than a file may be.
    init?(_ content: [UInt8]) {
        guard content.count <= Self.limit else { return nil }
        bytes = .allocate(byteCount: Self.limit + 1, alignment: 1)
        bytes.copyBytes(from: content)
        count = content.count
    }

    deinit {
        OPENSSL_cleanse(bytes.baseAddress, count)
        bytes.deallocate()
    }

    /// Returns nil, or what is wrong.
    private func read(_ path: String) -> String? {
        // Without O_NONBLOCK, opening a FIFO would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return "cannot be opened: \(Self.text(of: errno))" }
        defer { close(descriptor) }
        while count < bytes.count {
            let received = Glibc.read(descriptor, bytes.baseAddress?.advanced(by: count), bytes.count - count)
            if received < 0, errno == EINTR { continue }
            guard received >= 0 else { return "cannot be read: \(Self.text(of: errno))" }
            guard received > 0 else { break }
            count += received
        }
        return count == 0 ? "is empty" : nil
    }

    private static func text(of code: Int32) -> String {
        // The C library owns the text, and it is constant for every known code (strerror(3)).
        strerror(code).map { String(cString: $0) } ?? "errno \(code)"
    }

    func contains(_ text: String) -> Bool {
        UnsafeRawBufferPointer(rebasing: bytes[..<count]).firstRange(of: Array(text.utf8)) != nil
    }

    /// Calls `body` with an OpenSSL BIO that reads the content.
    func withBIO<Value>(_ body: (OpaquePointer) throws(TLSError) -> Value) throws(TLSError) -> Value {
        guard let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(count)) else { throw .outOfMemory(.badIdentity) }
        defer { BIO_free(bio) }
        return try body(bio)
    }

    /// Reads all certificates of a PEM file (RFC 7468) in file order. Skips blocks of other kinds.
    func certificates(at path: String, atMost limit: Int) throws(TLSError) -> [OpenSSLReference] {
        try withBIO { (bio) throws(TLSError) in
            var found: [OpenSSLReference] = []
            while let x509 = PEM_read_bio_X509(bio, nil, { _, _, _, _ in -1 }, nil) {
                found.append(.x509(x509))
                guard found.count <= limit else {
                    throw TLSError(.badIdentity, reason: "\(path) holds more than \(limit) certificates")
                }
            }
            // The end of the file is the error "no start line". Any other error is a damaged block.
            let errors = OpenSSLErrors.drain()
            guard errors.contains(library: ERR_LIB_PEM, reason: PEM_R_NO_START_LINE) else {
                throw TLSError(
                    .badIdentity,
                    reason: "\(path) holds a certificate that cannot be read (\(errors.text)); copy it again",
                    native: errors.native)
            }
            return found
        }
    }
}
