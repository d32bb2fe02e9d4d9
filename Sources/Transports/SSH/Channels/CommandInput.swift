import NIOCore

/// A command's input on its way: the document, the trailer, the end.
final class CommandInput {
    let feed: DocumentFeed?
    private let trailer: [UInt8]
    private var trailerSent = 0
    private(set) var isEndSent = false

    init(feed: DocumentFeed?, trailer: [UInt8]) {
        self.feed = feed
        self.trailer = trailer
    }

    var octetsSent: Int64 { feed?.offset ?? 0 }

    /// See `SSHError.isInputComplete`.
    var isComplete: Bool {
        guard let feed else { return isEndSent }
        guard feed.isAtEnd else { return false }
        // An empty document without a trailer is complete when its end was said; nothing else tells it from none.
        return trailerSent == trailer.count && (trailerSent > 0 || feed.length > 0 || isEndSent)
    }

    /// Sends what may go out now; whether anything did.
    func step(on stream: ChannelStream) throws(SSHError) -> Bool {
        var moved = false
        while !isEndSent, stream.connection.mayFeed {
            guard try sendSome(stream) else { break }
            moved = true
        }
        return moved
    }

    private func sendSome(_ stream: ChannelStream) throws(SSHError) -> Bool {
        if let feed, !feed.isAtEnd {
            let count = try stream.write(try feed.piece())
            feed.take(count)
            return count > 0
        }
        if trailerSent < trailer.count {
            let count = try stream.write(ByteBuffer(bytes: trailer[trailerSent...]))
            trailerSent += count
            return count > 0
        }
        isEndSent = try stream.sendEnd()
        return isEndSent
    }
}
