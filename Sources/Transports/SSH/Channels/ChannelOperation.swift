import CLibSSH2
import NIOCore
import PrintModel

/// A channel from its opening to its close, with the work that is done in it.
///
/// Work that is given up does not end it at once: a channel that the server was asked to open is opened, and closed;
/// its place among the channels that the server allows is free only when the server has closed it as well.
final class ChannelOperation: SSHOperation {
    enum Phase {
        case waiting
        case opening
        case starting(OpaquePointer)
        case running(OpaquePointer)
        case closing(OpaquePointer)
        case over
    }

    /// How an attempt ended that never came to the work's start.
    enum Refusal {
        /// The server opens no channel now.
        case channel(SSHError)
        /// The connection was found broken.
        case broken(SSHError)
    }

    /// Octets that a server may send before we take them.
    private static let window: UInt32 = 128 << 10
    private static let longestPacket: UInt32 = 32 << 10

    let work: any ChannelWork
    let clock: any HostClock
    var phase = Phase.waiting
    private var knowsExitStatus = false
    /// Whether the server ever opened it.
    private(set) var wasOpened = false
    /// Told when the server would not open it, or the connection broke before the request was sent: nothing was done.
    let refused: (Refusal) -> Void
    /// Told when the work is done or failed, and the channel closes.
    let finished: () -> Void
    /// Told at last, when its place is free.
    let released: () -> Void
    var isWorkOver = false
    /// Since when the server owes us the channel, or the answer to the request; and since when its close.
    private(set) var owedSince: NIODeadline?
    var closingSince: NIODeadline?

    init(
        _ work: any ChannelWork, clock: any HostClock, refused: @escaping (Refusal) -> Void,
        finished: @escaping () -> Void,
        released: @escaping () -> Void
    ) {
        self.work = work
        self.clock = clock
        self.refused = refused
        self.finished = finished
        self.released = released
    }

    var name: String { work.name }
    var isOver: Bool { if case .over = phase { true } else { false } }
    /// Whether it is one of those that the server counts.
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
        if work.isGivenUp {
            endWork()
            release()
            return true
        }
        guard connection.takeTurn(self) else { return false }
        phase = .opening
        owedSince = clock.now
        return true
    }

    private func open(_ connection: SSHHandler) throws(SSHError) -> Bool {
        let session = connection.session
        let channel = libssh2_channel_open_ex(session.pointer, "session", 7, Self.window, Self.longestPacket, nil, 0)
        if let channel {
            owedSince = clock.now
            wasOpened = true
            knowsExitStatus = clibssh2_preset_exit_status(channel, SSHLibrary.noExitStatus) == 1
            guard !work.isGivenUp else {
                answered(connection)
                startClosing(channel)
                return true
            }
            phase = .starting(channel)
            work.opened()
            return true
        }
        let code = session.lastCode
        if code == LIBSSH2_ERROR_EAGAIN { return false }
        answered(connection)
        guard code == LIBSSH2_ERROR_CHANNEL_FAILURE else { throw session.failure(name, code) }
        let error = SSHError(
            .channelRefused, operation: "open a channel", reason: "the server refuses it: \(session.lastWords)",
            native: .libSSH2(Int(code)))
        isWorkOver = true
        release()
        refused(.channel(error))
        return true
    }

    /// It keeps its turn: where libssh2 waits for one channel's answer, another's ends the wait as a failure.
    private func start(_ channel: OpaquePointer, _ connection: SSHHandler) throws(SSHError) -> Bool {
        let (kind, argument) = work.request
        let result = libssh2_channel_process_startup(
            channel, kind, UInt32(kind.utf8.count), argument, UInt32(clamping: argument.utf8.count))
        if result == LIBSSH2_ERROR_EAGAIN { return false }
        answered(connection)
        if result == 0 {
            phase = .running(channel)
            if !work.isGivenUp { work.started() }
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
        if work.isGivenUp {
            startClosing(channel)
            return true
        }
        let stream = ChannelStream(channel: channel, connection: connection, knowsExitStatus: knowsExitStatus)
        do throws(SSHError) {
            switch try work.step(on: stream) {
            case .stuck: return false
            case .moved: return true
            case .done: startClosing(channel)
            }
        } catch {
            if error.isFatal { throw error }
            fail(error, channel)
        }
        return true
    }

    private func answered(_ connection: SSHHandler) {
        owedSince = nil
        connection.endTurn(self)
    }
}
