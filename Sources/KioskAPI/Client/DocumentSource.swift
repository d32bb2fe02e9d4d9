import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// A document to submit: bytes, a file (an owned descriptor) or standard input (a borrowed one). Large files are
/// streamed.
public struct DocumentSource: Sendable {
    private let content: Content
    /// The length in bytes; nil for a pipe or terminal, whose length is known only at its end.
    public let length: Int64?

    private enum Content: Sendable {
        case bytes([UInt8])
        /// A descriptor that is read while the request is sent. `Handle` closes it.
        case descriptor(Handle, name: String)
    }

    /// An open descriptor, owned or borrowed.
    fileprivate final class Handle: Sendable {
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

    /// A document in memory.
    public static func bytes(_ bytes: [UInt8]) -> DocumentSource {
        DocumentSource(content: .bytes(bytes), length: Int64(bytes.count))
    }

    /// Opens a file. Throws a `DocumentSourceError`. A small file is read into memory, a larger one is streamed.
    public static func file(_ path: String) throws -> DocumentSource {
        let number = open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw DocumentSourceError(path: path, errno: errno) }
        return try descriptor(Handle(number, isOwned: true), name: path)
    }

    /// Standard input, until its end.
    public static func standardInput() throws -> DocumentSource {
        try descriptor(Handle(STDIN_FILENO, isOwned: false), name: "standard input")
    }

    /// A file up to this length is read into memory at once: streaming would start threads.
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

    /// The file's bytes; nil when it is shorter than `length`, in which case streaming it reports why.
    private static func readWhole(_ number: Int32, length: Int) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: length) { space, count in
            count = max(0, pread(number, space.baseAddress, length, 0))
        }
        return bytes.count == length ? bytes : nil
    }
}

extension DocumentSource {
    /// Whether the document can be read, and so sent, more than once.
    var isRepeatable: Bool { length != nil }

    /// The body of a request that sends the document. `progress` is called for a streamed document only, with the
    /// number of bytes sent so far; `socket` is for error messages.
    func requestBody(
        socket: SocketLocation, progress: @escaping @Sendable (Int64) -> Void
    ) -> ClientRequest.Body {
        switch content {
        case .bytes(let bytes):
            .bytes(ByteBuffer(bytes: bytes))
        case .descriptor(let handle, let name):
            .document(DocumentReader(handle, length: length, name: name, socket: socket), progress: progress)
        }
    }

    /// The same document in memory, if it could be read only once. Reading stops after the piece that exceeds `limit`
    /// bytes.
    func rereadable(limit: Int, socket: SocketLocation) async throws -> DocumentSource {
        guard !isRepeatable, case .descriptor(let handle, let name) = content else { return self }
        let reader = DocumentReader(handle, length: nil, name: name, socket: socket)
        var bytes: [UInt8] = []
        while bytes.count <= limit, let piece = try await reader.read(at: Int64(bytes.count)) {
            bytes += piece.readableBytesView
        }
        return .bytes(bytes)
    }
}

/// The error of a document that cannot be opened.
public struct DocumentSourceError: Error, Hashable, Sendable, CustomStringConvertible {
    public var path: String
    public var errno: Int32

    public var description: String { "\(path) cannot be opened: \(String(cString: strerror(errno)))" }
}

/// Reads a document from a file descriptor piece by piece, on threads of its own: reading may block.
final class DocumentReader: Sendable {
    /// The length in bytes; nil for a pipe or terminal.
    let length: Int64?
    private let name: String
    private let handle: DocumentSource.Handle
    private let socket: SocketLocation
    private let isCancelled = Atomic(false)

    /// The threads that reading blocks. They start with the first streamed document and live as long as the process.
    private static let threads: NIOThreadPool = {
        let threads = NIOThreadPool(numberOfThreads: 2)
        threads.start()
        return threads
    }()

    /// The bytes of a piece: enough that copying costs more than changing threads, few enough to use little memory.
    private static let pieceLength = 128 << 10
    /// How often a blocked read checks for cancellation, in milliseconds.
    private static let pollInterval: Int32 = 50

    fileprivate init(_ handle: DocumentSource.Handle, length: Int64?, name: String, socket: SocketLocation) {
        self.handle = handle
        self.length = length
        self.name = name
        self.socket = socket
    }

    /// Returns the piece at `offset`; nil at the end.
    func read(at offset: Int64) async throws -> ByteBuffer? {
        try await withTaskCancellationHandler {
            try await Self.threads.runIfActive { try self.readBlocking(at: offset) }
        } onCancel: {
            isCancelled.store(true, ordering: .relaxed)
        }
    }

    private func readBlocking(at offset: Int64) throws -> ByteBuffer? {
        let wanted = min(Int64(Self.pieceLength), length.map { $0 - offset } ?? .max)
        guard wanted > 0 else { return nil }
        var piece = ByteBufferAllocator().buffer(capacity: Int(wanted))
        let count = try piece.writeWithUnsafeMutableBytes(minimumWritableBytes: Int(wanted)) { space in
            let target = UnsafeMutableRawBufferPointer(rebasing: space.prefix(Int(wanted)))
            return length == nil ? try readPipe(into: target) : try readFile(into: target, at: offset)
        }
        if count > 0 { return piece }
        guard let length else { return nil }
        throw unreadable("it became shorter while it was read: \(offset) of \(length) bytes")
    }

    private func readFile(into target: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
        while true {
            let count = pread(handle.number, target.baseAddress, target.count, off_t(offset))
            if count >= 0 { return count }
            guard errno == EINTR else { throw unreadable(String(cString: strerror(errno))) }
        }
    }

    /// Waits in short steps, since a read of a silent pipe could not be cancelled.
    private func readPipe(into target: UnsafeMutableRawBufferPointer) throws -> Int {
        var waiting = pollfd(fd: handle.number, events: Int16(POLLIN), revents: 0)
        while true {
            guard !isCancelled.load(ordering: .relaxed) else { throw CancellationError() }
            let ready = poll(&waiting, 1, Self.pollInterval)
            if ready == 0 || (ready < 0 && errno == EINTR) { continue }
            let count = Glibc.read(handle.number, target.baseAddress, target.count)
            if count >= 0 { return count }
            guard errno == EINTR || errno == EAGAIN else { throw unreadable(String(cString: strerror(errno))) }
        }
    }

    private func unreadable(_ reason: String) -> KioskClientError {
        KioskClientError(
            .documentUnreadable, message: "\(name) cannot be read: \(reason); no job was made", socket: socket
        )
    }
}
