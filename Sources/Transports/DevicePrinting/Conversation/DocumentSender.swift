import AsyncPrimitives
import PrintModel
import Synchronization

/// Sends one document and its trailer into a pipe, in chunks of limited size, three at a time so that the pipe is never
/// empty.
struct DocumentSender: Sendable {
    let pipe: any DevicePipe
    let document: DocumentReader
    let language: DeviceSettings.Language?
    /// Returns the bytes that follow the document's last byte. Called when that is about to be sent, with the number of
    /// status requests in the document.
    let trailer: @Sendable (Int) async -> [UInt8]
    let progress: SendProgress

    /// How the send ended.
    struct Outcome: Sendable {
        /// Bytes of document and trailer that the printer has taken at most.
        var takenAtMost = 0
        /// The highest number of status requests in the part of the document that was sent.
        var requests = 0
        /// Nil where everything was taken.
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
    /// As many chunks as there are transfers under way at once (`TransferSizing`).
    static let depth = 3
    /// The most bytes that may be under way, of which the printer may have taken any number.
    static let underWay = depth * chunkLength

    fileprivate enum ChunkEnd: Sendable {
        case complete(Int)
        case failed(DevicePipeError)
    }

    func run() async -> Outcome {
        await withTaskGroup(of: ChunkEnd.self) { group in
            var outcome = Outcome()
            var (offset, underWay) = (0, 0)
            var (requests, paper) = (StatusRequestCounter(language), PaperEstimate())
            var isLast = false
            while !isLast, outcome.failure == nil {
                do throws(DocumentReader.Failure) {
                    var chunk = try await chunk(at: offset)
                    offset += chunk.count
                    isLast = offset >= document.length
                    requests.read(chunk)
                    outcome.requests = requests.count
                    paper.read(chunk)
                    progress.mayPrint(paper.longest)
                    if underWay == Self.depth, let end = await group.next() {
                        underWay -= 1
                        outcome.note(end)
                        if outcome.failure != nil { break }
                    }
                    // Saves a separate transfer for the trailer.
                    if isLast { chunk += await trailer(requests.count) }
                    guard !chunk.isEmpty else { break }
                    // Called here and not in the task, whose start is not ordered: the chunks go in the calls' order.
                    let (count, sending) = (
                        chunk.count, pipe.begin(chunk, isLast: isLast) { [progress] in progress.took($0) }
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
        case .complete(let count): takenAtMost += count
        case .failed(let error):
            takenAtMost += error.taken
            switch failure {
            case nil: failure = .pipe(error)
            case .pipe(let known)? where known.kind == .cancelled || error.kind == .disconnected: failure = .pipe(error)
            default: break
            }
        }
    }
}

/// Counts the bytes that a device has taken so far, and raises a signal at each change.
final class SendProgress: Sendable {
    private let count = Atomic(0)
    private let length = Atomic(0)
    private let signal: AsyncSignal

    init(_ signal: AsyncSignal) { self.signal = signal }

    var taken: Int { count.load(ordering: .relaxed) }

    /// The most paper, in millimetres, that the device moves for the sent data that it holds.
    var paper: Int { length.load(ordering: .relaxed) }

    func mayPrint(_ millimetres: Int) { length.store(millimetres, ordering: .relaxed) }

    func took(_ bytes: Int) {
        count.wrappingAdd(bytes, ordering: .relaxed)
        signal.raise()
    }
}
