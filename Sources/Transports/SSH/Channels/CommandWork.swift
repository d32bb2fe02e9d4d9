import NIOCore

/// A command on the server: its input goes out and its output comes in at the same time, until it has exited.
final class CommandWork: ChannelWork {
    let name = "exec"
    private let command: RemoteCommand
    private let clock: any HostClock
    private let progress: (RemoteProgress) -> Void
    private let input: CommandInput
    /// Told once: its result, or why there is none.
    private let deliver: (Result<RemoteResult, SSHError>) -> Void
    private(set) var isGivenUp = false
    private var isDelivered = false
    private var output: [UInt8] = []
    private var errorOutput: [UInt8] = []
    private var octetsTold: Int64 = 0
    private var isEndTold = false
    private var isOpen = false
    /// When an octet last moved, in either direction.
    private var lastMove: NIODeadline

    init(
        _ command: RemoteCommand, clock: any HostClock, feed: DocumentFeed?,
        progress: @escaping (RemoteProgress) -> Void,
        deliver: @escaping (Result<RemoteResult, SSHError>) -> Void
    ) {
        self.command = command
        self.clock = clock
        lastMove = clock.now
        self.progress = progress
        self.deliver = deliver
        if case .document(_, let trailer) = command.input {
            input = CommandInput(feed: feed, trailer: trailer)
        } else {
            input = CommandInput(feed: nil, trailer: [])
        }
    }

    var request: (kind: String, argument: String) { ("exec", command.line) }

    func opened() {
        lastMove = clock.now
        isOpen = true
    }

    func started() {
        lastMove = clock.now
        progress(.started)
    }

    func step(on stream: ChannelStream) throws(SSHError) -> ChannelStep {
        var moved = try readAll(.output, stream)
        if try readAll(.errors, stream) { moved = true }
        if try stream.isClosed() {
            let result = RemoteResult(
                exit: stream.exit, output: output, errorOutput: errorOutput, octetsSent: input.octetsSent,
                isInputComplete: input.feed == nil || input.isComplete)
            finish(.success(result))
            return .done
        }
        if try input.step(on: stream) {
            moved = true
            tellProgress(stream.connection)
        }
        if moved { lastMove = clock.now }
        return moved ? .moved : .stuck
    }

    private func readAll(_ source: ChannelStream.Source, _ stream: ChannelStream) throws(SSHError) -> Bool {
        var moved = false
        while let octets = try stream.read(source) {
            moved = true
            switch source {
            case .output: output += octets
            case .errors: errorOutput += octets
            }
            guard output.count <= command.longestOutput, errorOutput.count <= command.longestOutput else {
                throw SSHError(
                    .tooMuchOutput, operation: name,
                    reason: "the command wrote more than \(command.longestOutput) octets")
            }
        }
        return moved
    }

    private func tellProgress(_ connection: SSHHandler) {
        guard let feed = input.feed else { return }
        if input.octetsSent > octetsTold {
            octetsTold = input.octetsSent
            progress(.sending(octets: octetsTold, of: feed.length))
        }
        guard input.isEndSent, !isEndTold else { return }
        isEndTold = true
        connection.afterFlush { [self] in
            if !isDelivered { progress(.sent) }
        }
    }

    func checkTime(_ now: NIODeadline) {
        guard isOpen, now - lastMove > TimeAmount(command.stall) else { return }
        giveUp(SSHError(.timedOut, operation: name, reason: "nothing moved for \(command.stall)"))
    }

    func failed(_ error: SSHError) { finish(.failure(error)) }

    /// Ends the wait for it at once; its channel closes behind its back, and no more of its input goes out.
    func giveUp(_ error: SSHError) {
        isGivenUp = true
        finish(.failure(error))
    }

    private func finish(_ result: Result<RemoteResult, SSHError>) {
        guard !isDelivered else { return }
        isDelivered = true
        deliver(
            result.mapError { error in
                var error = error
                error.octetsSent = input.octetsSent
                error.isInputComplete = input.isComplete
                return error
            })
    }
}
