import KioskPrintModel
import NIOCore

/// A request of SFTP version 3 (draft-ietf-secsh-filexfer-02); those that we send.
enum SFTPRequest: Equatable {
    /// Creates a file for writing, mode 0600; fails if it exists.
    case create(String)
    case write(handle: [UInt8], offset: Int64, octets: ByteBuffer)
    case close(handle: [UInt8])
    case remove(String)
    case rename(String, String)
    /// Queries the attributes of a path without following links.
    case lstat(String)

    /// SSH_FXP_INIT for version 3.
    static let initialisation: [UInt8] = [0, 0, 0, 5, 1, 0, 0, 0, 3]

    private static let (writing, creating, exclusive): (UInt32, UInt32, UInt32) = (0x02, 0x08, 0x20)
    private static let hasPermissions: UInt32 = 0x04

    /// The operation's name in errors.
    var operation: String {
        switch self {
        case .create: "SFTP open"
        case .write: "SFTP write"
        case .close: "SFTP close"
        case .remove: "SFTP remove"
        case .rename: "SFTP rename"
        case .lstat: "SFTP lstat"
        }
    }

    func encode(id: UInt32, into buffer: inout ByteBuffer) {
        var body = WireWriter()
        func begin(_ type: UInt8) {
            body.byte(type)
            body.number(id)
        }
        switch self {
        case .create(let path):
            begin(3)
            body.string(Array(path.utf8))
            body.number(Self.writing | Self.creating | Self.exclusive)
            body.number(Self.hasPermissions)
            body.number(0o600)
        case .close(let handle):
            begin(4)
            body.string(handle)
        case .write(let handle, let offset, let octets):
            begin(6)
            body.string(handle)
            body.number(UInt32(truncatingIfNeeded: offset >> 32))
            body.number(UInt32(truncatingIfNeeded: offset))
            body.number(UInt32(clamping: octets.readableBytes))
            buffer.writeInteger(UInt32(clamping: body.octets.count + octets.readableBytes))
            buffer.writeBytes(body.octets)
            buffer.writeImmutableBuffer(octets)
            return
        case .lstat(let path):
            begin(7)
            body.string(Array(path.utf8))
        case .remove(let path):
            begin(13)
            body.string(Array(path.utf8))
        case .rename(let path, let newPath):
            begin(18)
            body.string(Array(path.utf8))
            body.string(Array(newPath.utf8))
        }
        buffer.writeInteger(UInt32(clamping: body.octets.count))
        buffer.writeBytes(body.octets)
    }
}

/// A response of an SFTP server; those that our requests get.
enum SFTPResponse: Equatable {
    case version(UInt32)
    case status(SFTPStatus)
    case handle([UInt8])
    case attributes

    /// The length that every implementation must accept (draft-ietf-secsh-filexfer-02 §3); responses to us have a few
    /// hundred octets.
    private static let maximumLength = 34_000
    /// The limit of draft-ietf-secsh-filexfer-02 §6.3.
    private static let maximumHandleLength = 256

    /// Takes the first whole response off `buffer`; nil where it is not complete yet. `id` is nil for the version.
    static func decode(from buffer: inout ByteBuffer) throws(SSHError) -> (id: UInt32?, response: SFTPResponse)? {
        guard let length = buffer.getInteger(at: buffer.readerIndex, as: UInt32.self) else { return nil }
        guard length >= 5, length <= maximumLength else { throw malformed }
        guard buffer.readableBytes >= 4 + Int(length) else { return nil }
        buffer.moveReaderIndex(forwardBy: 4)
        guard let octets = buffer.readBytes(length: Int(length)) else { throw malformed }
        var reader = WireReader(octets)
        guard let type = reader.byte(), let number = reader.number() else { throw malformed }
        switch type {
        case 2: return (nil, .version(number))
        case 101:
            guard let code = reader.number() else { throw malformed }
            // Versions before 3 have no text.
            let text = reader.string() ?? []
            return (number, .status(SFTPStatus(code: code, text: String(decoding: text.prefix(256), as: UTF8.self))))
        case 102:
            guard let handle = reader.string(), handle.count <= maximumHandleLength else { throw malformed }
            return (number, .handle(handle))
        case 105: return (number, .attributes)
        default: throw malformed
        }
    }

    static var malformed: SSHError {
        SSHError(.protocolViolation, operation: "SFTP", reason: "its response is not valid SFTP")
    }
}

/// A status code SSH_FX_… with the server's text (draft-ietf-secsh-filexfer-02 §7).
struct SFTPStatus: Equatable {
    var code: UInt32
    /// Written by the server: hostile until shown escaped.
    var text: String

    var isOK: Bool { code == 0 }

    var meaning: String {
        let meaning =
            switch code {
            case 2: "there is no such file or folder"
            case 3: "permission denied"
            case 4: "the server failed (usually a full disk or a quota)"
            case 5: "the server found the path invalid"
            case 8: "the server does not support it"
            default: "SFTP status \(code)"
            }
        return text.isEmpty || text == "Failure" ? meaning : "\(meaning): \"\(text)\""
    }

    func error(_ operation: String) -> SSHError {
        SSHError(.uploadRefused, operation: operation, reason: meaning, native: .sftpStatus(UInt(code)))
    }
}
