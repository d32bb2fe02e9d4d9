import CKioskLibSSH2
import NIOCore

/// The input and output of an open channel.
struct ChannelStream {
    let channel: OpaquePointer
    let connection: SSHHandler
    /// Whether libssh2 can tell an exit status of 0 from a missing one. If it cannot, 0 counts as missing.
    let knowsExitStatus: Bool

    enum Source: Int32 {
        case output = 0
        /// SSH_EXTENDED_DATA_STDERR (RFC 4254 §5.2).
        case errors = 1
    }

    /// Reads up to 16 kB of what arrived; nil where nothing did.
    func read(_ source: Source) throws(SSHError) -> [UInt8]? {
        var result = 0
        let octets = [UInt8](unsafeUninitializedCapacity: 16 << 10) { space, count in
            let start = UnsafeMutableRawPointer(space.baseAddress)?.assumingMemoryBound(to: CChar.self)
            result = libssh2_channel_read_ex(channel, source.rawValue, start, space.count)
            count = max(0, result)
        }
        if result > 0 { return octets }
        try check(result)
        return nil
    }

    /// Writes what the window allows. Returns the number of octets written; 0 where there is no room now.
    func write(_ octets: ByteBuffer) throws(SSHError) -> Int {
        guard octets.readableBytes > 0 else { return 0 }
        let result = octets.withUnsafeReadableBytes { octets in
            libssh2_channel_write_ex(channel, 0, octets.baseAddress?.assumingMemoryBound(to: CChar.self), octets.count)
        }
        try check(result)
        return max(0, result)
    }

    /// Ends our input. Returns whether the end was sent.
    func sendEnd() throws(SSHError) -> Bool {
        let result = libssh2_channel_send_eof(channel)
        try check(Int(result))
        return result == 0
    }

    /// Whether the server closed the channel and everything it sent was read.
    func isClosed() throws(SSHError) -> Bool {
        guard libssh2_channel_eof(channel) == 1 else { return false }
        let result = libssh2_channel_wait_closed(channel)
        try check(Int(result))
        return result == 0
    }

    var exit: RemoteResult.Exit {
        var (name, count): (UnsafeMutablePointer<CChar>?, Int) = (nil, 0)
        let result = libssh2_channel_get_exit_signal(channel, &name, &count, nil, nil, nil, nil)
        if result == 0, let name {
            defer { libssh2_free(connection.session.pointer, name) }
            return .signal(String(decoding: UnsafeRawBufferPointer(start: name, count: min(count, 32)), as: UTF8.self))
        }
        let status = libssh2_channel_get_exit_status(channel)
        return status == (knowsExitStatus ? SSHLibrary.noExitStatus : 0) ? .unknown : .status(status)
    }

    private func check(_ result: Int) throws(SSHError) {
        guard result < 0, result != Int(LIBSSH2_ERROR_EAGAIN) else { return }
        throw connection.session.failure("", Int32(clamping: result))
    }
}
