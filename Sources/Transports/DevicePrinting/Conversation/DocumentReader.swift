import Dispatch
import DurableFiles
package import PrintModel

/// A document's bytes, chunk by chunk, repeated for each copy. A file is read on its own dispatch queue, never on the
/// cooperative pool, and closed with the last reference.
package final class DocumentReader: Sendable {
    /// The length of all copies together.
    package let length: Int
    private let copyLength: Int
    private let source: Source

    private enum Source: Sendable {
        case bytes([UInt8])
        case file(DocumentFile, DispatchQueue)
    }

    /// Why a stored document could not be read.
    package struct Failure: Error, Hashable, Sendable {
        package var path: String
        package var reason: String
        package var errno: Int32?
    }

    /// Opens the document; a file must have exactly the length that it had when it was stored.
    package init(_ body: PrintDocument.Body, copies: Int = 1) async throws(Failure) {
        switch body {
        case .bytes(let bytes): (copyLength, source) = (bytes.count, .bytes(bytes))
        case .file(let path, let length):
            let queue = DispatchQueue(label: "document")
            let opened = await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: Self.open(path, length)) }
            }
            copyLength = Int(clamping: length)
            source = .file(try opened.get(), queue)
        }
        let (all, isTooLong) = copyLength.multipliedReportingOverflow(by: max(1, copies))
        length = isTooLong ? copyLength : all
    }

    /// Reads at most `wanted` bytes from `position` on, which must lie inside the document; fewer where a copy ends
    /// earlier.
    package func read(_ wanted: Int, at position: Int) async throws(Failure) -> ArraySlice<UInt8> {
        guard copyLength > 0 else { return [] }
        let offset = position % copyLength
        let count = min(wanted, copyLength - offset)
        switch source {
        case .bytes(let bytes): return bytes[offset..<offset + count]
        case .file(let file, let queue):
            let chunk = await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: Self.read(count, at: offset, of: file)) }
            }
            return try chunk.get()[...]
        }
    }

    private static func open(_ path: String, _ length: Int64) -> Result<DocumentFile, Failure> {
        do throws(DocumentFile.Failure) {
            return .success(try DocumentFile(path: path, length: length))
        } catch {
            return .failure(Failure(error))
        }
    }

    private static func read(_ count: Int, at offset: Int, of file: DocumentFile) -> Result<[UInt8], Failure> {
        do throws(DocumentFile.Failure) {
            return .success(try file.read(count, at: Int64(offset)))
        } catch {
            return .failure(Failure(error))
        }
    }
}

extension DocumentReader.Failure {
    fileprivate init(_ failure: DocumentFile.Failure) {
        let what =
            switch failure.reason {
            case .cannotOpen: "it cannot be opened"
            case .cannotRead: "it cannot be read"
            case .notRegularFile: "it is not a file"
            case .wrongLength(let stored, let found): "it has \(found) bytes, not \(stored)"
            case .cutOff(_, let found): "it was cut off at \(found) bytes"
            }
        let cause = failure.systemMessage.map { ": \($0)" } ?? ""
        self.init(path: failure.path, reason: what + cause, errno: failure.errno)
    }
}
