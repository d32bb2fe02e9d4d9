import Glibc
import KioskAPIMessages
import NIOCore
import NIOPosix
import Synchronization

/// Reads a document from a file descriptor piece by piece, on threads of its own: reading may block.
final class DocumentReader: Sendable {
    /// The length in bytes; nil for a pipe or terminal.
    var length: Int64? { descriptor.length }
    private let descriptor: DocumentDescriptor
    private let address: DaemonAddress
    private let isCancelled = Atomic(false)

    /// The threads that reading blocks. They start with the first streamed document and live as long as the process.
    private static let threads: NIOThreadPool = {
        let threads = NIOThreadPool(numberOfThreads: 2)
        threads.start()
        return threads
    }()

    /// How often a blocked read checks for cancellation, in milliseconds.
    private static let pollInterval: Int32 = 50

    init(_ descriptor: DocumentDescriptor, address: DaemonAddress) {
        self.descriptor = descriptor
        self.address = address
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
        let wanted = descriptor.pieceLength(at: offset)
        guard wanted > 0 else { return nil }
        var piece = ByteBufferAllocator().buffer(capacity: wanted)
        let count = try piece.writeWithUnsafeMutableBytes(minimumWritableBytes: wanted) { space in
            let target = UnsafeMutableRawBufferPointer(rebasing: space.prefix(wanted))
            while true {
                if length == nil { try waitForBytes() }
                if let count = try descriptor.read(into: target, at: offset, address) { return count }
            }
        }
        return count > 0 ? piece : nil
    }

    /// Waits in short steps, since a read of a silent pipe could not be cancelled.
    private func waitForBytes() throws {
        var waiting = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        repeat {
            guard !isCancelled.load(ordering: .relaxed) else { throw CancellationError() }
        } while poll(&waiting, 1, Self.pollInterval) <= 0
    }
}
