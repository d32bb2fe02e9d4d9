/// The frame of a message between the daemon and one of its sandboxed helpers: four bytes with its length, most
/// significant byte first, then the message. A message has at least one byte and at most its module's limit.
package enum HelperFrame {
    /// Bytes before the message.
    package static let headerLength = 4

    /// The message that `write` writes, with its header.
    package static func bytes(_ write: (inout MessageWriter) -> Void) -> [UInt8] {
        var writer = MessageWriter()
        writer.number(0)
        write(&writer)
        writer.setLength()
        return writer.bytes
    }

    /// The length of the message that follows these four bytes.
    package static func length(
        _ header: some Collection<UInt8>, limit: Int
    ) throws(HelperMessageError) -> Int {
        guard header.count == headerLength else { throw HelperMessageError("an incomplete frame header") }
        let length = header.reduce(0) { $0 << 8 | Int($1) }
        guard (1...limit).contains(length) else { throw HelperMessageError("a message of \(length) bytes") }
        return length
    }
}

/// The reason why a message cannot be decoded.
package struct HelperMessageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong with the message, as a noun phrase.
    package var description: String

    /// Creates an error.
    package init(_ description: String) { self.description = description }
}

/// Exit statuses of the helpers.
package enum HelperExitStatus {
    /// Another process sent the signal of a crash. (EX_TEMPFAIL of sysexits.h.)
    package static let killedByOtherProcess: Int32 = 75
}
