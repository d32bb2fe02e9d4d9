import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// Reads a document from a file descriptor piece by piece, never on the cooperative pool.
final class DocumentReader: Sendable {
    /// Nil when only its end will tell: a pipe, a terminal.
    let length: Int64?
    private let name: String
    private let handle: DocumentSource.Handle
    private let socket: SocketLocation
    private let isCancelled = Atomic(false)

    /// Where reading blocks. Started by the first streamed document, for the life of the process.
    private static let threads: NIOThreadPool = {
        let threads = NIOThreadPool(numberOfThreads: 2)
        threads.start()
        return threads
    }()

    /// Large enough to make thread hops rare beside the copying, small enough not to show in memory.
    private static let pieceLength = 128 << 10
    /// How long a blocked read goes without looking whether it is still wanted, in milliseconds.
    private static let pollInterval: Int32 = 50

    init(_ handle: DocumentSource.Handle, length: Int64?, name: String, socket: SocketLocation) {
        self.handle = handle
        self.length = length
        self.name = name
        self.socket = socket
    }

    /// The piece at `offset`; nil at the end.
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

    /// Waits in short steps, since a read of a silent pipe could not be called back.
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
