import COpenSSL
import Glibc

/// A small file's content, wiped from memory when the last reference goes: it may hold a key.
final class FileContent {
    let bytes: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    /// Of certificates, keys and CA bundles; Debian's bundle has 220 kB.
    private static let limit = 4 << 20

    /// Reads a regular file. Blocks. `what` names the file in the reason: "the CA file".
    init(_ what: String, at path: String) throws(TLSError) {
        bytes = .allocate(byteCount: Self.limit + 1, alignment: 1)
        let failure = read(path)
        guard failure == nil, count <= Self.limit else {
            throw TLSError(.badIdentity, reason: "\(what) \(path) \(failure ?? "is larger than \(Self.limit) bytes")")
        }
    }

    deinit {
        OPENSSL_cleanse(bytes.baseAddress, count)
        bytes.deallocate()
    }

    var content: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[..<count]) }

    /// Nil, or what is wrong.
    private func read(_ path: String) -> String? {
        // Without O_NONBLOCK, opening a FIFO would wait for its writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return "cannot be opened: \(Self.words(errno))" }
        defer { close(descriptor) }
        while count < bytes.count {
            let got = Glibc.read(descriptor, bytes.baseAddress?.advanced(by: count), bytes.count - count)
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { return "cannot be read: \(Self.words(errno))" }
            guard got > 0 else { break }
            count += got
        }
        return count == 0 ? "is empty" : nil
    }

    private static func words(_ code: Int32) -> String {
        // Its text is the C library's own, and constant for every known code (strerror(3)).
        strerror(code).map { String(cString: $0) } ?? "errno \(code)"
    }
}

extension FileContent {
    /// OpenSSL's view of the content; the content must outlive it.
    func withBIO<Value>(_ work: (OpaquePointer) throws(TLSError) -> Value) throws(TLSError) -> Value {
        guard let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(count)) else { throw .outOfMemory }
        defer { BIO_free(bio) }
        return try work(bio)
    }

    func contains(_ text: String) -> Bool {
        content.firstRange(of: Array(text.utf8)) != nil
    }
}

extension TLSError {
    static var outOfMemory: TLSError { TLSError(.badIdentity, reason: "OpenSSL has no memory") }
}
