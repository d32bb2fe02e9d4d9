/// Where and when the hub has stored a message, as its reply subject says it to a consumer (ADR-15):
/// `$JS.ACK.<stream>.<consumer>.<deliveries>.<stream seq>.<consumer seq>.<ns>.<pending>`, or behind `$JS.ACK` first a
/// domain and an account's hash, and at the end a token that tells nothing.
package struct StoredPosition: Hashable, Sendable {
    package var stream: String
    package var consumer: String
    /// The message's number in the stream, which counts anew where the stream was made anew.
    package var sequence: UInt64
    /// The message's number among those that the consumer has delivered, from 1 on without gaps.
    package var delivery: UInt64
    /// When the hub stored it, in ns since 1970 by the hub's clock.
    package var storedAt: Int64
    /// How many messages the consumer has still to deliver.
    package var pending: UInt64

    /// Reads a reply subject; nil where it is none of a consumer's.
    package init?(replySubject text: some StringProtocol) {
        guard text.utf8.count <= Self.maximumLength else { return nil }
        let tokens = text.split(separator: ".", omittingEmptySubsequences: false)
        guard tokens.count == 9 || tokens.count >= 11, tokens[0] == "$JS", tokens[1] == "ACK" else { return nil }
        let fields = tokens.dropFirst(tokens.count == 9 ? 2 : 4).prefix(7)
        guard fields.count == 7, fields.allSatisfy({ !$0.isEmpty }) else { return nil }
        let first = fields.startIndex
        let numbers = fields.dropFirst(2).map { UInt64($0) }
        guard let sequence = numbers[1], let delivery = numbers[2], let pending = numbers[4], numbers[0] != nil,
            let storedAt = numbers[3].flatMap({ Int64(exactly: $0) })
        else { return nil }
        (stream, consumer) = (String(fields[first]), String(fields[first + 1]))
        (self.sequence, self.delivery, self.storedAt, self.pending) = (sequence, delivery, storedAt, pending)
    }

    private static let maximumLength = 1024

    /// Whether it is the same message, delivered again or by another consumer.
    package func isOfSameMessage(as other: StoredPosition) -> Bool {
        sequence == other.sequence && storedAt == other.storedAt && stream == other.stream
    }
}
