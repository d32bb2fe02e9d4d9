import CLibSSH2
import NIOCore

// The end.
extension ChannelOperation {
    func startClosing(_ channel: OpaquePointer) {
        phase = .closing(channel)
        closingSince = clock.now
        endWork()
    }

    /// Says that we close it, and waits until the server has closed it too: until then it counts there.
    func close(_ channel: OpaquePointer, _ connection: SSHHandler) throws(SSHError) -> Bool {
        let closed = libssh2_channel_close(channel)
        if closed == LIBSSH2_ERROR_EAGAIN { return false }
        // Any other message than the server's close, even another channel's, ends libssh2's wait with 0 as well.
        if closed != 0, SSHSession.isFatal(closed) { throw connection.session.failure(name, closed) }
        let result = libssh2_channel_wait_closed(channel)
        switch result {
        case 0:
            connection.bury(channel)
            release()
            return true
        // Not even the end of its output has come.
        case LIBSSH2_ERROR_INVAL:
            try connection.read(through: channel)
            return libssh2_channel_wait_closed(channel) == 0
        case LIBSSH2_ERROR_EAGAIN: return false
        default: throw connection.session.failure(name, result)
        }
    }

    func connectionEnded(_ error: SSHError) {
        let hadRequest =
            switch phase {
            case .waiting, .opening: false
            case .starting, .running, .closing, .over: true
            }
        phase = .over
        guard !isWorkOver else { return }
        isWorkOver = true
        if hadRequest || work.isGivenUp {
            work.failed(error)
            finished()
        } else {
            refused(.broken(error))
        }
    }

    func fail(_ error: SSHError, _ channel: OpaquePointer) {
        work.failed(error)
        startClosing(channel)
    }

    func endWork() {
        guard !isWorkOver else { return }
        isWorkOver = true
        finished()
    }

    func release() {
        phase = .over
        released()
    }
}
