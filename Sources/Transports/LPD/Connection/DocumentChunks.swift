import KioskDurableFiles
import KioskPrintModel
import NIOCore
import NIOPosix

/// A document's octets, read chunk by chunk; a file on the thread pool.
struct DocumentChunks: Sendable {
    let length: Int64
    private let source: Source

    private enum Source: Sendable {
        case bytes([UInt8])
        case file(DocumentFile)
    }

    private static let chunkLength: Int64 = 16 * 1024

    /// Opens the document. Throws `LPDFailure`.
    init(_ document: PrintDocument) async throws {
        length = document.length
        switch document.body {
        case .bytes(let bytes): source = .bytes(bytes)
        case .file(let path, let length):
            do {
                source = .file(
                    try await NIOThreadPool.singleton.runIfActive { try DocumentFile(path: path, length: length) })
            } catch let failure as DocumentFile.Failure {
                throw LPDFailure(.unreadable(failure))
            } catch {
                throw LPDFailure(.cancelled)
            }
        }
    }

    /// The octets from `offset` on, which must be within the document.
    func chunk(at offset: Int64, on eventLoop: any EventLoop) -> EventLoopFuture<ByteBuffer> {
        let count = Int(min(Self.chunkLength, length - offset))
        switch source {
        case .bytes(let bytes):
            let start = Int(offset)
            return eventLoop.makeSucceededFuture(ByteBuffer(bytes: bytes[start..<start + count]))
        case .file(let file):
            return NIOThreadPool.singleton.runIfActive(eventLoop: eventLoop) {
                ByteBuffer(bytes: try file.read(count, at: offset))
            }
        }
    }
}
