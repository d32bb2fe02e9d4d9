import NIOCore

/// SFTP version 3's messages, as far as we speak it (draft-ietf-secsh-filexfer-02).
enum SFTPRequest: Equatable {
    /// Makes a file that must not exist, for writing, mode 0600.
    case create(String)
    case write(handle: [UInt8], offset: Int64, octets: ByteBuffer)
    case close(handle: [UInt8])
    case remove(String)
    case rename(String, String)
    /// What stands at a path, links not followed.
    case look(String)

    /// SSH_FXP_INIT for version 3.
    static let initialisation: [UInt8] = [0, 0, 0, 5, 1, 0, 0, 0, 3]

    private static let (writing, creating, exclusive): (UInt32, UInt32, UInt32) = (0x02, 0x08, 0x20)
    private static let hasPermissions: UInt32 = 0x04

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
        case .look(let path):
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
