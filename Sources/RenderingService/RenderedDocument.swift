import Synchronization

/// A part of an encoded document.
package enum RenderedPart: Hashable, Sendable {
    /// The next bytes for the printer.
    case bytes([UInt8])
    /// All bytes of this side, from 0, have come.
    case sideEnd(Int)
}

/// A document that is drawn, as the bytes for the printer in their order. Nothing comes before the first side is drawn
/// whole, or as much of it as may wait. The program draws ahead of the reader, up to `RenderingSettings.waitingBytes`
/// or `waitingSides`. There is one reader; when its task is cancelled the rendering ends.
package struct RenderedDocument: AsyncSequence, Sendable {
    package typealias Element = RenderedPart
    package typealias Failure = RenderingError

    let parts: PartQueue
    /// Open for as long as somebody reads.
    let session: RenderingSession

    package struct AsyncIterator: AsyncIteratorProtocol {
        let parts: PartQueue
        let session: RenderingSession

        package mutating func next() async throws(RenderingError) -> RenderedPart? { try await parts.next() }

        package mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(RenderingError) -> RenderedPart? { try await parts.next() }
    }

    package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(parts: parts, session: session) }

    /// Ends the rendering at once; the reader gets an error.
    package func cancel() { parts.cancel() }
}

/// The parts between the thread that reads them from the rendering program and the task that sends them on.
final class PartQueue: Sendable {
    private let state = Mutex(State())
    private let settings: RenderingSettings
    private let spaceFreed: @Sendable () -> Void
    private let canceled: @Sendable () -> Void

    private struct State {
        var parts: [RenderedPart] = []
        var bytes = 0
        var sides = 0
        /// Until the first side is drawn, so that a document whose first page fails has sent nothing.
        var isHeld = true
        var end: Result<Void, RenderingError>?
        var reader: CheckedContinuation<Result<RenderedPart?, RenderingError>, Never>?

        /// What the reader gets now, if anything.
        mutating func take() -> Result<RenderedPart?, RenderingError>? {
            if !isHeld, !parts.isEmpty {
                let part = parts.removeFirst()
                switch part {
                case .bytes(let chunk): bytes -= chunk.count
                case .sideEnd: sides -= 1
                }
                return .success(part)
            }
            switch end {
            case .success: return .success(nil)
            case .failure(let error): return .failure(error)
            case nil: return nil
            }
        }
    }

    /// `spaceFreed` is called when the reader has taken a part, `canceled` when the reader's task is cancelled.
    init(
        _ settings: RenderingSettings, spaceFreed: @escaping @Sendable () -> Void,
        canceled: @escaping @Sendable () -> Void
    ) {
        self.settings = settings
        self.spaceFreed = spaceFreed
        self.canceled = canceled
    }

    // MARK: For the thread

    /// Whether there is room for another part.
    var hasSpace: Bool {
        state.withLock { $0.bytes < settings.waitingBytes && $0.sides < settings.waitingSides }
    }

    func add(_ part: RenderedPart) {
        update { state in
            state.parts.append(part)
            switch part {
            case .bytes(let chunk): state.bytes += chunk.count
            case .sideEnd:
                state.sides += 1
                state.isHeld = false
            }
            if state.bytes >= settings.waitingBytes { state.isHeld = false }
        }
    }

    /// Ends the document; with an error, the parts that wait are dropped. Only the first end counts.
    func finish(_ end: Result<Void, RenderingError>) {
        update { state in
            guard state.end == nil else { return }
            state.end = end
            if case .failure = end { (state.parts, state.bytes, state.sides) = ([], 0, 0) }
            state.isHeld = false
        }
    }

    private func update(_ change: (inout State) -> Void) {
        let (reader, result) = state.withLock { state in
            change(&state)
            guard state.reader != nil, let result = state.take() else {
                return (nil, nil)
                    as (
                        CheckedContinuation<Result<RenderedPart?, RenderingError>, Never>?,
                        Result<RenderedPart?, RenderingError>?
                    )
            }
            return (state.reader.take(), result)
        }
        if let reader, let result {
            reader.resume(returning: result)
            spaceFreed()
        }
    }

    // MARK: For the reader

    func next() async throws(RenderingError) -> RenderedPart? {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let result = state.withLock { state -> Result<RenderedPart?, RenderingError>? in
                    if let result = state.take() { return result }
                    state.reader = continuation
                    return nil
                }
                if let result { continuation.resume(returning: result) }
            }
        } onCancel: {
            cancel()
        }
        spaceFreed()
        return try result.get()
    }

    func cancel() {
        finish(.failure(.canceled))
        canceled()
    }
}
