import CKioskLibSSH2
import KioskPrintModel
import NIOCore

/// The client of a channel: runs a command, or speaks SFTP.
protocol ChannelClient: AnyObject {
    /// Its name in errors.
    var name: String { get }
    /// The channel request that starts it (RFC 4254 §6.5) and its argument.
    var request: (kind: String, argument: String) { get }
    /// Whether nobody waits for it any more; its channel is then closed.
    var isGivenUp: Bool { get }
    /// Its channel is open.
    func opened()
    /// The server accepted the request.
    func started()
    /// Goes on as far as it can; `.done` closes the channel. Throws what ends this client alone.
    func step(on stream: ChannelStream) throws(SSHError) -> ChannelStep
    /// Called every now and then: ends what has waited for too long.
    func checkTime(_ now: NIODeadline)
    func failed(_ error: SSHError)
}

/// How far the client of a channel came in one step.
enum ChannelStep {
    case blocked, progressed, done
}

/// A channel from its opening to its close, and the client that uses it.
///
/// A client that is given up does not end it at once: a channel that the server was asked to open is opened, then
/// closed. It counts against the server's limit until the server has closed it as well.
final class ChannelOperation: SSHOperation {
    private enum Phase {
        case waiting
        case opening
        case starting(OpaquePointer)
        case running(OpaquePointer)
        case closing(OpaquePointer)
        case over
    }

    /// Why the client did not start.
    enum Refusal {
        /// The server opens no channel now.
        case channel(SSHError)
        /// The connection broke.
        case connection(SSHError)
    }

    /// Octets that a server may send before we read them.
    private static let window: UInt32 = 128 << 10
    private static let maximumPacketLength: UInt32 = 32 << 10

    let client: any ChannelClient
    private let clock: any HostClock
    private var phase = Phase.waiting
    private var knowsExitStatus = false
    /// Whether the server ever opened it.
    private(set) var wasOpened = false
    /// Called when the server refused the channel, or the connection broke before the request was sent: nothing was
    /// done.
    private let refused: (Refusal) -> Void
    /// Called when the client is done or failed, and the channel closes.
    private let finished: () -> Void
    /// Called last, when the channel no longer counts.
    private let released: () -> Void
    private var isClientDone = false
    /// Since when we have waited for the channel, or for the response to the request.
    private(set) var awaitingSince: NIODeadline?
    /// Since when we have waited for the server to close it.
    private(set) var closingSince: NIODeadline?

    init(
        _ client: any ChannelClient, clock: any HostClock, refused: @escaping (Refusal) -> Void,
        finished: @escaping () -> Void,
        released: @escaping () -> Void
    ) {
        self.client = client
        self.clock = clock
        self.refused = refused
        self.finished = finished
        self.released = released
    }

    var name: String { client.name }
    var isOver: Bool { if case .over = phase { true } else { false } }
    /// Whether it counts against the server's limit.
    var isOpen: Bool {
        switch phase {
        case .starting, .running, .closing: true
        case .waiting, .opening, .over: false
        }
    }

    func step(on connection: SSHHandler) throws(SSHError) -> Bool {
        switch phase {
        case .waiting: return wait(connection)
        case .opening: return try open(connection)
        case .starting(let channel): return try start(channel, connection)
        case .running(let channel): return try run(channel, connection)
        case .closing(let channel): return try close(channel, connection)
        case .over: return false
        }
    }

    private func wait(_ connection: SSHHandler) -> Bool {
        if client.isGivenUp {
            endClient()
            release()
            return true
        }
        guard connection.beginOpening(self) else { return false }
        phase = .opening
        awaitingSince = clock.now
        return true
    }

    private func open(_ connection: SSHHandler) throws(SSHError) -> Bool {
        let session = connection.session
        let channel = libssh2_channel_open_ex(
            session.pointer, "session", 7, Self.window, Self.maximumPacketLength, nil, 0)
        if let channel {
            awaitingSince = clock.now
            wasOpened = true
            knowsExitStatus = clibssh2_preset_exit_status(channel, SSHLibrary.noExitStatus) == 1
            guard !client.isGivenUp else {
                responseArrived(connection)
                startClosing(channel)
                return true
            }
            phase = .starting(channel)
            client.opened()
            return true
        }
        let code = session.lastErrorCode
        if code == LIBSSH2_ERROR_EAGAIN { return false }
        responseArrived(connection)
        guard code == LIBSSH2_ERROR_CHANNEL_FAILURE else { throw session.failure(name, code) }
        let error = SSHError(
            .channelRefused, operation: "open a channel", reason: "the server refuses it: \(session.lastErrorMessage)",
            native: .libSSH2(Int(code)))
        isClientDone = true
        release()
        refused(.channel(error))
        return true
    }

    /// Sends the request. No other channel opens meanwhile: where libssh2 waits for one channel's response, another's
    /// ends the wait as a failure.
    private func start(_ channel: OpaquePointer, _ connection: SSHHandler) throws(SSHError) -> Bool {
        let (kind, argument) = client.request
        let result = libssh2_channel_process_startup(
            channel, kind, UInt32(kind.utf8.count), argument, UInt32(clamping: argument.utf8.count))
        if result == LIBSSH2_ERROR_EAGAIN { return false }
        responseArrived(connection)
        if result == 0 {
            phase = .running(channel)
            if !client.isGivenUp { client.started() }
            return true
        }
        guard !SSHSession.isFatal(result) else { throw connection.session.failure(name, result) }
        let what = kind == "subsystem" ? "offers no \(argument)" : "runs no commands for this user"
        fail(
            SSHError(.channelRefused, operation: kind, reason: "the server \(what)", native: .libSSH2(Int(result))),
            channel)
        return true
    }

    private func run(_ channel: OpaquePointer, _ connection: SSHHandler) throws(SSHError) -> Bool {
        if client.isGivenUp {
            startClosing(channel)
            return true
        }
        let stream = ChannelStream(channel: channel, connection: connection, knowsExitStatus: knowsExitStatus)
        do throws(SSHError) {
            switch try client.step(on: stream) {
            case .blocked: return false
            case .progressed: return true
            case .done: startClosing(channel)
            }
        } catch {
            if error.isFatal { throw error }
            fail(error, channel)
        }
        return true
    }

    private func responseArrived(_ connection: SSHHandler) {
        awaitingSince = nil
        connection.endOpening(self)
    }

    // MARK: - The end

    private func startClosing(_ channel: OpaquePointer) {
        phase = .closing(channel)
        closingSince = clock.now
        endClient()
    }

    /// Closes the channel, and waits until the server has closed it too: until then the server counts it.
    private func close(_ channel: OpaquePointer, _ connection: SSHHandler) throws(SSHError) -> Bool {
        let closed = libssh2_channel_close(channel)
        if closed == LIBSSH2_ERROR_EAGAIN { return false }
        // Any other message than the server's close, even another channel's, ends libssh2's wait with 0 as well.
        if closed != 0, SSHSession.isFatal(closed) { throw connection.session.failure(name, closed) }
        let result = libssh2_channel_wait_closed(channel)
        switch result {
        case 0:
            connection.keepForReading(closed: channel)
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
        guard !isClientDone else { return }
        isClientDone = true
        if hadRequest || client.isGivenUp {
            client.failed(error)
            finished()
        } else {
            refused(.connection(error))
        }
    }

    private func fail(_ error: SSHError, _ channel: OpaquePointer) {
        client.failed(error)
        startClosing(channel)
    }

    private func endClient() {
        guard !isClientDone else { return }
        isClientDone = true
        finished()
    }

    private func release() {
        phase = .over
        released()
    }
}
