import NIOCore

/// The pieces of a streamed answer between the channel and its one reader. Lives on the channel's event loop.
struct AnswerStream {
    private var pieces = CircularBuffer<ByteBuffer>()
    /// Set once no more comes; what came before it is given first.
    private var end: Result<Void, any Error>?
    private var reader: EventLoopPromise<ByteBuffer?>?

    /// Whether the reader waits, so that the channel should read on.
    var isAwaited: Bool { reader != nil }

    /// The next piece, nil at the end; and whether the channel must be read for it.
    mutating func next(on loop: any EventLoop) -> (EventLoopFuture<ByteBuffer?>, wantsMore: Bool) {
        if let piece = pieces.popFirst() { return (loop.makeSucceededFuture(piece), false) }
        if let end { return (loop.makeCompletedFuture(end.map { nil }), false) }
        // One reader at a time: an earlier one was cancelled and learns that the stream goes on without it.
        reader?.succeed(nil)
        let promise = loop.makePromise(of: ByteBuffer?.self)
        reader = promise
        return (promise.futureResult, true)
    }

    mutating func take(_ piece: ByteBuffer) {
        if let reader {
            self.reader = nil
            reader.succeed(piece)
        } else {
            pieces.append(piece)
        }
    }

    mutating func end(_ end: Result<Void, any Error>) {
        guard self.end == nil else { return }
        self.end = end
        reader?.completeWith(end.map { nil })
        reader = nil
    }
}
