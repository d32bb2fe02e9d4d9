import NIOCore

/// A command on the server: sends its input and receives its output at the same time, until it has exited.
final class CommandExecution: ChannelClient {
    let name = "exec"
    private let command: RemoteCommand
    private let clock: any HostClock
    private let progress: (RemoteProgress) -> Void
    private let input: CommandInput
    /// Called once, with the result or the error.
    private let completion: (Result<RemoteResult, SSHError>) -> Void
    private(set) var isGivenUp = false
    private var isCompleted = false
    private var output: [UInt8] = []
    private var errorOutput: [UInt8] = []
    private var octetsReported: Int64 = 0
    private var isEndReported = false
    private var isOpen = false
    /// When an octet last moved, in either direction.
    private var lastProgress: NIODeadline

    init(
        _ command: RemoteCommand, clock: any HostClock, reader: DocumentReader?,
        progress: @escaping (RemoteProgress) -> Void,
        completion: @escaping (Result<RemoteResult, SSHError>) -> Void
    ) {
        self.command = command
        self.clock = clock
        lastProgress = clock.now
        self.progress = progress
        self.completion = completion
        if case .document(_, let trailer) = command.input {
            input = CommandInput(reader: reader, trailer: trailer)
        } else {
            input = CommandInput(reader: nil, trailer: [])
        }
    }

    var request: (kind: String, argument: String) { ("exec", command.line) }

    func opened() {
        lastProgress = clock.now
        isOpen = true
    }

    func started() {
        lastProgress = clock.now
        progress(.started)
    }

    func step(on stream: ChannelStream) throws(SSHError) -> ChannelStep {
        var progressed = try readAll(.output, stream)
        if try readAll(.errors, stream) { progressed = true }
        if try stream.isClosed() {
            let result = RemoteResult(
                exit: stream.exit, output: output, errorOutput: errorOutput, octetsSent: input.octetsSent,
                isInputComplete: input.reader == nil || input.isComplete)
            finish(.success(result))
            return .done
        }
        if try input.step(on: stream) {
            progressed = true
            reportProgress(stream.connection)
        }
        if progressed { lastProgress = clock.now }
        return progressed ? .progressed : .blocked
    }

    private func readAll(_ source: ChannelStream.Source, _ stream: ChannelStream) throws(SSHError) -> Bool {
        var progressed = false
        while let octets = try stream.read(source) {
            progressed = true
            switch source {
            case .output: output += octets
            case .errors: errorOutput += octets
            }
            guard output.count <= command.maximumOutput, errorOutput.count <= command.maximumOutput else {
                throw SSHError(
                    .tooMuchOutput, operation: name,
                    reason: "the command wrote more than \(command.maximumOutput) octets")
            }
        }
        return progressed
    }

    private func reportProgress(_ connection: SSHHandler) {
        guard let reader = input.reader else { return }
        if input.octetsSent > octetsReported {
            octetsReported = input.octetsSent
            progress(.sending(octets: octetsReported, of: reader.length))
        }
        guard input.isEndSent, !isEndReported else { return }
        isEndReported = true
        connection.afterFlush { [self] in
            if !isCompleted { progress(.sent) }
        }
    }

    func checkTime(_ now: NIODeadline) {
        guard isOpen, now - lastProgress > TimeAmount(command.stall) else { return }
        giveUp(SSHError(.timedOut, operation: name, reason: "no data moved for \(command.stall)"))
    }

    func failed(_ error: SSHError) { finish(.failure(error)) }

    /// Ends the caller's wait at once. The channel closes afterwards, and no more input is sent.
    func giveUp(_ error: SSHError) {
        isGivenUp = true
        finish(.failure(error))
    }

    private func finish(_ result: Result<RemoteResult, SSHError>) {
        guard !isCompleted else { return }
        isCompleted = true
        completion(
            result.mapError { error in
                var error = error
                error.octetsSent = input.octetsSent
                error.isInputComplete = input.isComplete
                return error
            })
    }
}

/// The input of a command as it is sent: the document, the trailer, the end.
private final class CommandInput {
    let reader: DocumentReader?
    private let trailer: [UInt8]
    private var trailerSent = 0
    private(set) var isEndSent = false

    init(reader: DocumentReader?, trailer: [UInt8]) {
        self.reader = reader
        self.trailer = trailer
    }

    var octetsSent: Int64 { reader?.offset ?? 0 }

    /// See `SSHError.isInputComplete`.
    var isComplete: Bool {
        guard let reader else { return isEndSent }
        guard reader.isAtEnd else { return false }
        // An empty document without a trailer is complete when its end was sent: nothing else marks it.
        return trailerSent == trailer.count && (trailerSent > 0 || reader.length > 0 || isEndSent)
    }

    /// Sends what may be sent now. Returns whether anything was.
    func step(on stream: ChannelStream) throws(SSHError) -> Bool {
        var progressed = false
        while !isEndSent, stream.connection.canSend {
            guard try sendSome(stream) else { break }
            progressed = true
        }
        return progressed
    }

    private func sendSome(_ stream: ChannelStream) throws(SSHError) -> Bool {
        if let reader, !reader.isAtEnd {
            let count = try stream.write(try reader.nextChunk())
            reader.consume(count)
            return count > 0
        }
        if trailerSent < trailer.count {
            let count = try stream.write(ByteBuffer(bytes: trailer[trailerSent...]))
            trailerSent += count
            return count > 0
        }
        isEndSent = try stream.sendEnd()
        return isEndSent
    }
}
