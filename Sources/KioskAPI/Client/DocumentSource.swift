import Glibc

/// A document to be submitted: bytes in memory, a file, or whatever comes from a descriptor.
public struct DocumentSource: Sendable {
    let content: Content
    /// Nil when only its end will tell.
    public let length: Int64?

    enum Content: Sendable {
        case bytes([UInt8])
        /// Read where the submission says; `Handle` closes it.
        case descriptor(Handle, name: String)
    }

    /// Owns an open descriptor, or borrows one.
    final class Handle: Sendable {
        let number: Int32
        private let isOwned: Bool

        init(_ number: Int32, isOwned: Bool) {
            self.number = number
            self.isOwned = isOwned
        }

        deinit {
            if isOwned { close(number) }
        }
    }

    public static func bytes(_ bytes: [UInt8]) -> DocumentSource {
        DocumentSource(content: .bytes(bytes), length: Int64(bytes.count))
    }

    /// A file, opened now; throws a `DocumentSourceError`. It is streamed, and never whole in memory unless it is
    /// small.
    public static func file(_ path: String) throws -> DocumentSource {
        let number = open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw DocumentSourceError(path: path, errno: errno) }
        return try descriptor(Handle(number, isOwned: true), name: path)
    }

    /// What comes from standard input, until its end.
    public static func standardInput() throws -> DocumentSource {
        try descriptor(Handle(STDIN_FILENO, isOwned: false), name: "standard input")
    }

    /// Read at once when it is not longer, which spares a small document the threads that streaming takes.
    private static let smallLength: Int64 = 64 << 10

    private static func descriptor(_ handle: Handle, name: String) throws -> DocumentSource {
        var status = stat()
        guard fstat(handle.number, &status) == 0 else { throw DocumentSourceError(path: name, errno: errno) }
        switch status.st_mode & S_IFMT {
        case S_IFDIR:
            throw DocumentSourceError(path: name, errno: EISDIR)
        case S_IFREG where lseek(handle.number, 0, SEEK_CUR) == 0:
            let length = Int64(status.st_size)
            if length <= smallLength, let bytes = readWhole(handle.number, length: Int(length)) { return .bytes(bytes) }
            return DocumentSource(content: .descriptor(handle, name: name), length: length)
        default:
            return DocumentSource(content: .descriptor(handle, name: name), length: nil)
        }
    }

    /// Nil when the file does not hold what it should; streaming it then tells why.
    private static func readWhole(_ number: Int32, length: Int) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: length) { space, count in
            count = max(0, pread(number, space.baseAddress, length, 0))
        }
        return bytes.count == length ? bytes : nil
    }
}

/// A document that cannot be opened.
public struct DocumentSourceError: Error, Hashable, Sendable, CustomStringConvertible {
    public var path: String
    public var errno: Int32

    public var description: String { "\(path) cannot be opened: \(String(cString: strerror(errno)))" }
}
