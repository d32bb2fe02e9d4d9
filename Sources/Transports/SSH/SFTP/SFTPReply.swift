import NIOCore

/// What an SFTP server answers, as far as we ask.
enum SFTPReply: Equatable {
    case version(UInt32)
    case status(SFTPStatus)
    case handle([UInt8])
    case attributes

    /// What everybody must take (draft-ietf-secsh-filexfer-02 §3); replies to us have a few hundred octets.
    private static let longest = 34_000
    /// §6.3 of the same.
    private static let longestHandle = 256

    /// Takes the first whole reply off `buffer`; nil where it is not there yet. `id` is nil for the version.
    static func decode(from buffer: inout ByteBuffer) throws(SSHError) -> (id: UInt32?, reply: SFTPReply)? {
        guard let length = buffer.getInteger(at: buffer.readerIndex, as: UInt32.self) else { return nil }
        guard length >= 5, length <= longest else { throw broken }
        guard buffer.readableBytes >= 4 + Int(length) else { return nil }
        buffer.moveReaderIndex(forwardBy: 4)
        guard let octets = buffer.readBytes(length: Int(length)) else { throw broken }
        var reader = WireReader(octets)
        guard let type = reader.byte(), let number = reader.number() else { throw broken }
        switch type {
        case 2: return (nil, .version(number))
        case 101:
            guard let code = reader.number() else { throw broken }
            // Versions before 3 have no text.
            let text = reader.string() ?? []
            return (number, .status(SFTPStatus(code: code, text: String(decoding: text.prefix(256), as: UTF8.self))))
        case 102:
            guard let handle = reader.string(), handle.count <= longestHandle else { throw broken }
            return (number, .handle(handle))
        case 105: return (number, .attributes)
        default: throw broken
        }
    }

    static var broken: SSHError {
        SSHError(.protocolViolation, operation: "SFTP", reason: "what it answers is no valid SFTP")
    }
}
