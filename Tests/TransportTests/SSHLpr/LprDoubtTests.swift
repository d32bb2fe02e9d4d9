import KioskPrintModel
import KioskSSH
import KioskTestSupport
import Logging
import Testing

@testable import KioskQueueListings
@testable import KioskSSHLpr

/// What the transport concludes where a host says half of what it could.
@Suite struct LprDoubtTests {
    private static let probe =
        "program lpr\nprogram lpq\nprogram lprm\nhead exact\nlpr lpr: Error - unknown option \"V\".\nend\n"
    private static let head = "receipt is ready\nRank    Owner   Job     File(s)                         Total Size\n"
    private static let ours = "1st     till    7       bcdfghjk-1-1 title              1024 bytes\n"

    private static func transport(_ answers: @escaping @Sendable (Int) -> RemoteResult) -> SSHLprTransport {
        let host = ScriptedHost { _, before in before == 0 ? .response(probe) : answers(before) }
        return SSHLprTransport(
            hosts: HostPool { _, _ in PrintHost(host) {} }, settings: { _ in LprSettings() }, deadlines: .init(),
            clock: JumpingClock(),
            logger: Logger(label: "test"))
    }

    private static func target() throws -> PrinterTarget {
        PrinterTarget(url: try PrinterURL("ssh+lpr://kiosk@host/receipt"))
    }

    private static func response(_ text: String, exit: RemoteResult.Exit) -> RemoteResult {
        var result = RemoteResult.response(text)
        result.exit = exit
        return result
    }

    @Test(arguments: [RemoteResult.Exit.status(1), .status(127), .signal("KILL"), .unknown])
    func `a job that lpr took stays taken when lpq fails behind it`(_ exit: RemoteResult.Exit) async throws {
        let transport = Self.transport { _ in Self.response("lpq: Unable to connect to server.\n", exit: exit) }
        let report = try await transport.deliver(.receipt("bcdfghjk-1-1", [1]), to: try Self.target()) { _ in }
        #expect(report.state == .completed)
        #expect(report.evidence == .accepted)
        #expect(report.message?.contains("accepted the job") == true)
    }

    @Test func `what the queue may not do of a ticket is told of a job that is found there, too`() async throws {
        var delivery = Delivery.receipt("bcdfghjk-1-1", [1])
        delivery.ticket.cut = .full
        let transport = Self.transport { _ in .response(Self.head + Self.ours) }
        let job = try #require(try await transport.locate(delivery, on: try Self.target()))
        #expect(
            try await transport.remarks(on: job, of: delivery, at: try Self.target()) == [
                "lpr has no option for cut=full: printed without"
            ])
    }

    @Test(arguments: [("", "the call to the host"), ("exec", "exec")])
    func `the message about a call that was cancelled begins with what was cancelled`(
        _ operation: String, _ words: String
    ) async throws {
        let transport = SSHLprTransport(
            hosts: HostPool { _, _ in
                PrintHost(
                    ScriptedHost { (_, _) throws(SSHError) in
                        throw SSHError(.cancelled, operation: operation, reason: "the connection is being closed")
                    }
                ) {}
            }, settings: { _ in LprSettings() }, deadlines: .init(), clock: JumpingClock(),
            logger: Logger(label: "test"))
        let error = try await transportError { _ = try await transport.contact(try Self.target()) }
        #expect(error.code == .cancelled)
        #expect(error.operation == words)
        #expect(error.message == "\(try Self.target().url): \(words) was cancelled")
    }

    @Test func `a list of lpq that was ended in its midst proves nothing`() async throws {
        let other = "1st     till    6       another                         1024 bytes\n"
        let transport = Self.transport { Self.response(Self.head + other, exit: $0 < 4 ? .signal("TERM") : .status(0)) }
        let job = RemoteJob(identifier: "7 bcdfghjk-1-1")
        let error = try await transportError { try await transport.cancel(job, on: try Self.target()) }
        #expect(error.message.contains("it is unknown"), "\(error.message)")
        let host = Recorder<Int>()
        let watching = Self.transport { number in
            host.add(number)
            return Self.response(Self.head + other, exit: number < 4 ? .signal("TERM") : .status(0))
        }
        #expect(try await watching.follow(job, on: try Self.target()) { _ in }.state == .completed)
        #expect(host.all == [1, 2, 3, 4])
    }

    @Test(arguments: [
        (RemoteResult.Exit.status(0), "", false), (.status(1), "", true), (.status(0), "lpq: a mystery\n", true),
    ])
    func `a cancellation counts where lprm ended well and the whole queue is seen`(
        _ exit: RemoteResult.Exit, _ noise: String, _ isDoubtful: Bool
    ) async throws {
        let transport = Self.transport { number in
            switch number {
            case 1: .response(Self.head + Self.ours)
            case 2: Self.response("lprm: Job #7 is already completed - can't cancel.\n", exit: exit)
            default: .response("receipt is ready\n\(noise)no entries\n")
            }
        }
        let cancel = { try await transport.cancel(RemoteJob(identifier: "7 bcdfghjk-1-1"), on: try Self.target()) }
        guard isDoubtful else { return try await cancel() }
        #expect(try await transportError(cancel).code == .outcomeUnknown)
    }

    @Test func `a job that CUPS has only announced is not located`() async throws {
        let empty = Self.ours.replacing("1024 bytes", with: "0 bytes")
        let announced = Self.transport { _ in .response(Self.head + empty) }
        let error = try await transportError {
            _ = try await announced.locate(.receipt("bcdfghjk-1-1", [1]), on: try Self.target())
        }
        #expect(error.code == .outcomeUnknown)
        #expect(error.message.contains("announced"), "\(error.message)")
        // After a restart the engine does not hand the document in.
        let unseen = try await transportError {
            _ = try await announced.locate(.receipt("bcdfghjk-1-1", []), on: try Self.target())
        }
        #expect(unseen.code == .outcomeUnknown)
        let whole = Self.transport { _ in .response(Self.head + Self.ours) }
        #expect(
            try await whole.locate(.receipt("bcdfghjk-1-1", [1]), on: try Self.target())?.identifier == "7 bcdfghjk-1-1"
        )
    }

    @Test func `a job whose title the host hides has not left the queue`() async throws {
        let hidden = Self.ours.replacing("bcdfghjk-1-1 title", with: "unknown           ")
        let transport = Self.transport {
            .response(Self.head + ($0 < 3 ? hidden : Self.ours.replacing(" 7 ", with: " 8 ")))
        }
        let job = RemoteJob(identifier: "7 bcdfghjk-1-1")
        let error = try await transportError { try await transport.cancel(job, on: try Self.target()) }
        #expect(error.message.contains("it is unknown"), "\(error.message)")
        #expect(try await transport.follow(job, on: try Self.target()) { _ in }.state == .completed)
        let row =
            "Rank   Owner      Job  Files                                 Total Size\n"
            + "1st    till       7    ...                                   2 bytes"
        let listing = QueueListing(row.split(separator: "\n"), dialect: .bsd, queue: "receipt")
        let id = try #require(LprJobID(job))
        #expect(listing.mayHide(id))
        #expect(listing.jobs.first?.size == 2)
    }

    @Test(arguments: [
        (
            "Disk quota: 45 %\n/var/log: Permission denied\nkiosk-lpr\nlpr: something odd",
            TransportError.Code.printerFailed, Int64(1)
        ),
        ("kiosk-lpr\nlpr: quota of 30 pages", .jobRefused, 0),
        ("kiosk-lpr\nsh: 1: lpr: Permission denied", .accessDenied, 0),
        ("kiosk-lpr\nsetsid: failed to execute lpr: Permission denied", .accessDenied, 0),
        ("kiosk-lpr\nsetsid: can't execute 'lpr': Permission denied", .accessDenied, 0),
        ("kiosk-lpr\nlogger: /var/log/jobs: Permission denied", .printerFailed, 1),
        ("No space left on device", .printerFailed, 1),
    ])
    func `only what lpr says tells why it failed`(
        _ errors: String, _ code: TransportError.Code, _ accepted: Int64
    ) async throws {
        let transport = Self.transport { _ in RemoteResult(exit: .status(1), errorOutput: Array(errors.utf8)) }
        let error = try await transportError {
            _ = try await transport.deliver(.receipt("bcdfghjk-1-1", [1]), to: try Self.target()) { _ in }
        }
        #expect(error.code == code)
        #expect(error.bytesAccepted == accepted)
        #expect(!error.message.contains("kiosk-lpr") && !error.message.contains("45 %"), "\(error.message)")
    }

    @Test func `a host whose lpq is not understood is asked anew whose lpr it has`() async throws {
        let host = ScriptedHost { command, _ in
            command.line.contains("lpr -V") ? .response(Self.probe) : .response("lpq: what is this?\n")
        }
        let transport = SSHLprTransport(
            hosts: HostPool { _, _ in PrintHost(host) {} }, settings: { _ in LprSettings() }, deadlines: .init(),
            clock: JumpingClock(),
            logger: Logger(label: "test"))
        for _ in 1...2 { #expect(try await transport.contact(try Self.target()).availability.state == .unknown) }
        #expect(host.commands.all.filter { $0.contains("lpr -V") }.count == 2)
    }

    @Test func `a host whose lpr fails in words that nobody knows is asked anew whose it is`() async throws {
        let host = ScriptedHost { command, _ in
            command.line.contains("lpr -V") ? .response(Self.probe) : .failure(1, "lpr: Error - unknown option \"J\".")
        }
        let transport = SSHLprTransport(
            hosts: HostPool { _, _ in PrintHost(host) {} }, settings: { _ in LprSettings() }, deadlines: .init(),
            clock: JumpingClock(),
            logger: Logger(label: "test"))
        for _ in 1...2 {
            _ = try await transportError {
                _ = try await transport.deliver(.receipt("bcdfghjk-1-1", [1]), to: try Self.target()) { _ in }
            }
        }
        #expect(host.commands.all.filter { $0.contains("lpr -V") }.count == 2)
    }

    @Test func `a job is not said to have left a queue whose titles the host hides`() async throws {
        let hidden = Self.ours.replacing("bcdfghjk-1-1 title", with: "unknown           ")
        let report = try await Self.transport { _ in .response(Self.head + hidden) }
            .deliver(.receipt("bcdfghjk-1-1", [1]), to: try Self.target()) { _ in }
        #expect(report.evidence == .accepted)
        #expect(report.message?.contains("accepted the job") == true, "\(report.message ?? "nothing")")
    }

    @Test func `a quota command that fails tells no pages`() async throws {
        let host = ScriptedHost { _, before in
            before == 0 ? .response(Self.probe) : Self.response("42 pages left\n", exit: .status(before == 1 ? 0 : 1))
        }
        var settings = LprSettings()
        settings.quota = .init(command: ["pquota"], pattern: "([0-9]+) pages left")
        let transport = SSHLprTransport(
            hosts: HostPool { _, _ in PrintHost(host) {} }, settings: { [settings] _ in settings }, deadlines: .init(),
            clock: JumpingClock(),
            logger: Logger(label: "test"))
        #expect(try await transport.contact(try Self.target()).description.pagesLeft == nil)
    }
}
