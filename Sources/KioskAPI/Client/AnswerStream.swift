internal import NIOCore

/// The pieces of a streamed answer between the channel and its one reader. Lives on the channel's event loop.
struct AnswerStream {
    private var pieces = CircularBuffer<ByteBuffer>()
    private var isEnded = false
    private var reader: EventLoopPromise<ByteBuffer?>?

    /// Whether the reader waits, so that the channel should read on.
    var isAwaited: Bool { reader != nil }

    /// The next piece, nil at the end; and whether the channel must be read for it.
    mutating func next(on loop: any EventLoop) -> (EventLoopFuture<ByteBuffer?>, wantsMore: Bool) {
        if let piece = pieces.popFirst() { return (loop.makeSucceededFuture(piece), false) }
        if isEnded { return (loop.makeSucceededFuture(nil), false) }
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

    mutating func end() {
        isEnded = true
        reader?.succeed(nil)
        reader = nil
    }

    mutating func fail(_ error: any Error) {
        isEnded = true
        reader?.fail(error)
        reader = nil
    }
}
