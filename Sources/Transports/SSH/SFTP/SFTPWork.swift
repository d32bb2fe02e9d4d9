import NIOCore

/// SFTP in a channel: many jobs at the same time, their requests taking turns, each sent as a whole.
final class SFTPWork: ChannelWork {
    let name = "SFTP"
    /// Octets of requests that are made ahead of the window.
    private static let ahead = 64 << 10

    private let clock: any HostClock
    private let answerTime: TimeAmount
    private let keepTime: TimeAmount
    /// Takes back jobs of which nothing was sent, when the session broke.
    private let returned: (any SFTPJob) -> Void
    private var jobs: [any SFTPJob] = []
    private var asked: [UInt32: (job: any SFTPJob, request: SFTPRequest)] = [:]
    private var lastID: UInt32 = 0
    private var outgoing = ByteBuffer()
    private var incoming = ByteBuffer()
    private var isReady = false
    private(set) var isGivenUp = false
    private var isOpen = false
    private var lastAnswer: NIODeadline
    /// Others wait for its place.
    var isUnwelcome = false

    init(clock: any HostClock, answerTime: TimeAmount, keepTime: TimeAmount, returned: @escaping (any SFTPJob) -> Void)
    {
        self.clock = clock
        lastAnswer = clock.now
        self.answerTime = answerTime
        self.keepTime = keepTime
        self.returned = returned
    }

    var request: (kind: String, argument: String) { ("subsystem", "sftp") }
    /// Whether new jobs may still come.
    private(set) var isAccepting = true

    func add(_ job: any SFTPJob) {
        if asked.isEmpty { lastAnswer = clock.now }
        jobs.append(job)
    }

    func opened() {
        isOpen = true
        lastAnswer = clock.now
    }

    func started() { outgoing.writeBytes(SFTPRequest.initialisation) }

    func step(on stream: ChannelStream) throws(SSHError) -> ChannelStep {
        var moved = false
        while let octets = try stream.read(.output) {
            incoming.writeBytes(octets)
            do throws(SSHError) { try takeReplies() } catch { throw isReady ? error : Self.missing }
            moved = true
        }
        // Nobody wants its errors, but they must not fill the window.
        while try stream.read(.errors) != nil { moved = true }
        if try stream.isClosed() {
            throw isReady ? SSHError(.connectionLost, operation: name, reason: "the server ended SFTP") : Self.missing
        }
        if try send(stream) { moved = true }
        jobs.removeAll(where: \.isOver)
        if jobs.isEmpty, asked.isEmpty, isReady, isUnwelcome || clock.now - lastAnswer > keepTime {
            isAccepting = false
            return .done
        }
        return moved ? .moved : .stuck
    }

    private static var missing: SSHError {
        SSHError(
            .channelRefused, operation: "SFTP",
            reason:
                "the server offers no working SFTP: its sftp-server is missing, or the user's shell says something when it starts "
                + "(\"sftp\" to the same user shows which)")
    }

    private func takeReplies() throws(SSHError) {
        while let (id, reply) = try SFTPReply.decode(from: &incoming) {
            lastAnswer = clock.now
            if case .version(let version) = reply {
                guard version >= 3, !isReady else { throw SFTPReply.broken }
                isReady = true
            } else {
                guard let id, let (job, request) = asked.removeValue(forKey: id) else { throw SFTPReply.broken }
                job.answered(request, reply)
            }
        }
        incoming.discardReadBytes()
    }

    private func send(_ stream: ChannelStream) throws(SSHError) -> Bool {
        var moved = false
        while stream.connection.mayFeed {
            if isReady { makeRequests() }
            let count = try stream.write(outgoing)
            guard count > 0 else { break }
            outgoing.moveReaderIndex(forwardBy: count)
            outgoing.discardReadBytes()
            moved = true
        }
        return moved
    }

    /// One of each job in turn.
    private func makeRequests() {
        var isAnyMade = true
        while isAnyMade, outgoing.readableBytes < Self.ahead {
            isAnyMade = false
            for job in jobs {
                guard let request = job.nextRequest() else { continue }
                isAnyMade = true
                lastID &+= 1
                asked[lastID] = (job, request)
                request.encode(id: lastID, into: &outgoing)
            }
        }
    }

    func checkTime(_ now: NIODeadline) {
        let isOwed = isOpen && (!isReady || !asked.isEmpty)
        guard isOwed, !isGivenUp, now - lastAnswer > answerTime else { return }
        isGivenUp = true
        failed(SSHError(.timedOut, operation: name, reason: "the server does not answer"))
    }

    func failed(_ error: SSHError) {
        isAccepting = false
        let jobs = jobs
        self.jobs = []
        asked = [:]
        for job in jobs where !job.isOver {
            if job.isUntouched, !job.isRetried, error.code == .connectionLost || error.code == .timedOut {
                job.isRetried = true
                returned(job)
            } else {
                job.failed(error)
            }
        }
    }
}
