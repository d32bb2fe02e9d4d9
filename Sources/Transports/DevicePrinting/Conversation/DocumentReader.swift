import Dispatch
import Glibc
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
        case file(path: String, descriptor: Int32, DispatchQueue)
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
            source = .file(path: path, descriptor: try opened.get(), queue)
        }
        let (all, isTooLong) = copyLength.multipliedReportingOverflow(by: max(1, copies))
        length = isTooLong ? copyLength : all
    }

    deinit {
        if case .file(_, let descriptor, _) = source { close(descriptor) }
    }

    /// Reads at most `wanted` bytes from `position` on, which must lie inside the document; fewer where a copy ends
    /// earlier.
    package func read(_ wanted: Int, at position: Int) async throws(Failure) -> ArraySlice<UInt8> {
        guard copyLength > 0 else { return [] }
        let offset = position % copyLength
        let count = min(wanted, copyLength - offset)
        switch source {
        case .bytes(let bytes): return bytes[offset..<offset + count]
        case .file(let path, let descriptor, let queue):
            // The descriptor stays open as long as the reader exists, and so for this read.
            let chunk = await withCheckedContinuation { continuation in
                queue.async { [self] in
                    continuation.resume(
                        returning: withExtendedLifetime(self) { Self.read(count, at: offset, descriptor, path) })
                }
            }
            return try chunk.get()[...]
        }
    }

    private static func open(_ path: String, _ length: Int64) -> Result<Int32, Failure> {
        // Without O_NONBLOCK, opening a FIFO would wait for its writer.
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return .failure(failure(path, "it cannot be opened", errno)) }
        let end = lseek(descriptor, 0, SEEK_END)
        guard end >= 0, Int64(end) == length else {
            let why =
                end < 0
                ? failure(path, "it is not a file", errno)
                : Failure(path: path, reason: "it has \(end) bytes, not \(length)")
            close(descriptor)
            return .failure(why)
        }
        return .success(descriptor)
    }

    private static func read(
        _ count: Int, at offset: Int, _ descriptor: Int32, _ path: String
    ) -> Result<[UInt8], Failure> {
        var why: Failure?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { space, filled in
            while filled < count {
                let got = unsafe pread(
                    descriptor, space.baseAddress?.advanced(by: filled), count - filled, off_t(offset + filled))
                if got < 0, errno == EINTR { continue }
                if got < 0 { why = failure(path, "it cannot be read", errno) }
                if got == 0 { why = Failure(path: path, reason: "it was cut off at \(offset + filled) bytes") }
                guard got > 0 else { return }
                filled += got
            }
        }
        return why.map { .failure($0) } ?? .success(bytes)
    }

    private static func failure(_ path: String, _ what: String, _ code: Int32) -> Failure {
        let description = unsafe strerror(code).map { unsafe ": \(String(cString: $0))" } ?? ""
        return Failure(path: path, reason: what + description, errno: code)
    }
}
