import Glibc

/// A document to submit: bytes, a file (an owned descriptor) or standard input (a borrowed one). Large files are
/// streamed.
public struct DocumentSource: Sendable {
    /// What a request sends.
    package let body: APIBody
    /// The length in bytes; nil for a pipe or terminal, whose length is known only at its end.
    public let length: Int64?

    /// A document in memory.
    public static func bytes(_ bytes: [UInt8]) -> DocumentSource {
        DocumentSource(body: .bytes(bytes), length: Int64(bytes.count))
    }

    /// Opens a file. Throws a `DocumentSourceError`. A small file is read into memory, a larger one is streamed.
    public static func file(_ path: String) throws -> DocumentSource {
        let number = open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw DocumentSourceError(path: path, errno: errno) }
        return try descriptor(number, isOwned: true, name: path)
    }

    /// Standard input, until its end.
    public static func standardInput() throws -> DocumentSource {
        try descriptor(STDIN_FILENO, isOwned: false, name: "standard input")
    }

    /// A file up to this length is read into memory at once: it is sent in one piece with the request's head.
    private static let smallLength: Int64 = 64 << 10

    private static func descriptor(_ number: Int32, isOwned: Bool, name: String) throws -> DocumentSource {
        var status = stat()
        let result = fstat(number, &status)
        let failure = result == 0 ? (status.st_mode & S_IFMT == S_IFDIR ? EISDIR : nil) : errno
        let isFile = status.st_mode & S_IFMT == S_IFREG && lseek(number, 0, SEEK_CUR) == 0
        let length = isFile ? Int64(status.st_size) : nil
        // From here on an owned descriptor is closed with this.
        let descriptor = DocumentDescriptor(number, isOwned: isOwned, length: length, name: name)
        if let failure { throw DocumentSourceError(path: name, errno: failure) }
        if let length, length <= smallLength, let bytes = readWhole(number, length: Int(length)) {
            return .bytes(bytes)
        }
        return DocumentSource(body: .document(descriptor), length: length)
    }

    /// The file's bytes; nil when it is shorter than `length`, in which case streaming it reports why.
    private static func readWhole(_ number: Int32, length: Int) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: length) { space, count in
            count = max(0, pread(number, space.baseAddress, length, 0))
        }
        return bytes.count == length ? bytes : nil
    }

    /// Whether the document can be read, and so sent, more than once.
    package var isRepeatable: Bool { length != nil }
}

/// The error of a document that cannot be opened.
public struct DocumentSourceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file's path.
    public var path: String
    /// The system's error number.
    public var errno: Int32

    public var description: String { "\(path) cannot be opened: \(String(cString: strerror(errno)))" }
}
