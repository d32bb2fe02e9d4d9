import Dispatch
import KioskAsyncPrimitives
import KioskDurableFiles
package import KioskPrintModel
import Synchronization

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

/// Sends one document and its trailer into a pipe, in chunks of limited size, three at a time so that the pipe is never
/// empty.
struct DocumentSender: Sendable {
    let pipe: any DevicePipe
    let document: DocumentReader
    let language: DeviceSettings.Language?
    /// The bytes that precede the document.
    let header: [UInt8]
    /// Returns the bytes that follow the document's last byte. Called when that is about to be sent, with the number of
    /// status requests in the document.
    let trailer: @Sendable (Int) async -> [UInt8]
    let progress: SendProgress
    let trace: DeviceTrace

    /// How the send ended.
    struct Outcome: Sendable {
        /// Bytes of document and trailer that the printer has accepted at most. Those of the header do not count.
        var maximumAccepted = 0
        /// Whether the printer may have accepted a part of the header.
        var hasSentHeader = false
        /// The highest number of status requests in the part of the document that was sent.
        var requests = 0
        /// Nil where everything was accepted.
        var failure: Failure?
    }

    enum Failure: Error, Sendable {
        case pipe(DevicePipeError)
        case document(DocumentReader.Failure)
    }

    /// The size of the largest transfer (`TransferSizing`).
    private static let chunkLength = 1_048_576
    /// A high-speed packet. A slow printer's long transfer is reported only when it is complete; the first chunk shows
    /// at once that the printer takes data.
    private static let firstLength = 512
    /// The number of chunks under way: that of transfers at once (`TransferSizing`).
    static let depth = 3
    /// The most bytes that may be under way, of which the printer may have accepted any number.
    static let underWay = depth * chunkLength

    fileprivate enum ChunkEnd: Sendable {
        case complete(Int)
        case failed(DevicePipeError)
    }

    func run() async -> Outcome {
        await withTaskGroup(of: ChunkEnd.self) { group in
            var outcome = Outcome()
            var (offset, underWay) = (0, 0)
            var scan = DocumentScan(language)
            var isLast = false
            outcome.maximumAccepted = -header.count
            while !isLast, outcome.failure == nil {
                do throws(DocumentReader.Failure) {
                    let isFirst = offset == 0
                    var chunk = try await chunk(at: offset)
                    offset += chunk.count
                    isLast = offset >= document.length
                    scan.read(chunk)
                    outcome.requests = scan.requests.count
                    progress.mayPrint(scan.paper.maximumLength)
                    if underWay == Self.depth, let end = await group.next() {
                        underWay -= 1
                        outcome.note(end)
                        if outcome.failure != nil { break }
                    }
                    // Saves separate transfers for header and trailer.
                    if isFirst, !header.isEmpty { chunk = header[...] + chunk }
                    if isLast { chunk += await trailer(scan.requests.count) }
                    guard !chunk.isEmpty else { break }
                    // Called here and not in the task, whose start is not ordered: the chunks go in the calls' order.
                    let (count, sending) = (
                        chunk.count,
                        pipe.begin(chunk, isLast: isLast) { [progress, trace] accepted in
                            trace.sent(count: accepted)
                            progress.noteAccepted(accepted)
                        }
                    )
                    group.addTask { await Self.end(of: sending, count) }
                    underWay += 1
                } catch {
                    outcome.failure = .document(error)
                }
            }
            if outcome.failure != nil { group.cancelAll() }
            for await end in group {
                outcome.note(end)
                if outcome.failure != nil { group.cancelAll() }
            }
            outcome.hasSentHeader = outcome.maximumAccepted > -header.count
            outcome.maximumAccepted = max(0, outcome.maximumAccepted)
            return outcome
        }
    }

    private func chunk(at offset: Int) async throws(DocumentReader.Failure) -> ArraySlice<UInt8> {
        let count = min(offset == 0 ? Self.firstLength : Self.chunkLength, document.length - offset)
        return count > 0 ? try await document.read(count, at: offset) : []
    }

    private static func end(of sending: PendingSend, _ count: Int) async -> ChunkEnd {
        do throws(DevicePipeError) {
            try await sending.wait()
            return .complete(count)
        } catch {
            return .failed(error)
        }
    }
}

extension DocumentSender.Outcome {
    /// Keeps the failure that explains most: the cause rather than the cancellation of the other chunks.
    fileprivate mutating func note(_ end: DocumentSender.ChunkEnd) {
        switch end {
        case .complete(let count): maximumAccepted += count
        case .failed(let error):
            maximumAccepted += error.accepted
            switch failure {
            case nil: failure = .pipe(error)
            case .pipe(let known)? where known.kind == .cancelled || error.kind == .disconnected: failure = .pipe(error)
            default: break
            }
        }
    }
}

/// Counts the bytes that a device has accepted so far, and raises a signal at each change.
final class SendProgress: Sendable {
    /// Negative while not all of the header is accepted.
    private let count: Atomic<Int>
    private let length = Atomic(0)
    private let signal: AsyncSignal

    /// A header of this many bytes precedes what is counted.
    init(_ signal: AsyncSignal, header: Int = 0) {
        self.signal = signal
        count = Atomic(-header)
    }

    var accepted: Int { max(0, count.load(ordering: .relaxed)) }

    /// The most paper, in millimetres, that the device moves for the sent data that it holds.
    var paper: Int { length.load(ordering: .relaxed) }

    func mayPrint(_ millimetres: Int) { length.store(millimetres, ordering: .relaxed) }

    func noteAccepted(_ bytes: Int) {
        count.wrappingAdd(bytes, ordering: .relaxed)
        signal.raise()
    }
}
