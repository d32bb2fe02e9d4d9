import Glibc
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskLPD

/// Printers that speak LPD, each with its own mistakes.
@Suite struct LPDTransportTests {
    private static let receipt = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

    private static func transport(_ change: (inout LPDTransport.Deadlines) -> Void = { _ in }) -> LPDTransport {
        var deadlines = LPDTransport.Deadlines()
        (deadlines.connect, deadlines.query, deadlines.acknowledgement) = (.seconds(120), .seconds(120), .seconds(120))
        change(&deadlines)
        return LPDTransport(hostName: "till", deadlines: deadlines, clock: JumpingClock())
    }

    private static func failure(
        _ daemon: ScriptedDaemon, _ transport: LPDTransport = transport(), options: String = ""
    ) async throws -> TransportError {
        let target = try daemon.target(options)
        return try await transportError {
            _ = try await transport.deliver(.receipt("k1", receipt), to: target) { _ in }
        }
    }

    // MARK: A printer without a queue

    @Test(arguments: ["", "?order=data,control"])
    func `a document arrives byte for byte, and a printer that lists nothing proves no more`(
        options: String
    ) async throws {
        let jobs = Recorder<ScriptedDaemon.Job>()
        let daemon = try ScriptedDaemon { command, connection in
            if command == "\u{2}raw" { jobs.add(ScriptedDaemon.receive(connection)) }
        }
        let steps = Recorder<DeliveryProgress>()
        let report = try await Self.transport().deliver(
            .receipt("k1", Self.receipt), to: daemon.target(options)
        ) { steps.add($0) }
        #expect(report.state == .completed && report.evidence == .accepted)
        #expect(report.message?.contains("does not list it") == true)
        let job = try #require(jobs.all.first)
        #expect(job.data == Self.receipt)
        #expect(job.control.hasPrefix("Htill\nPtill\nJk1 Receipt\nldfA"))
        #expect(steps.all.first == .connecting)
        #expect(steps.all.last == .sending(bytes: 100_000, of: 100_000))
    }

    @Test func `contact says that a printer without a listing is there, and takes one copy at a time`() async throws {
        let daemon = try ScriptedDaemon { _, connection in connection.write("Ready\r\n") }
        let report = try await Self.transport().contact(daemon.target)
        #expect(report.availability == Availability(.ready))
        #expect(report.description.ticketSupport?.copies == 1)
    }

    @Test func `a printer that is known to list nothing is not asked about its job`() async throws {
        let commands = Recorder<String>()
        let daemon = try ScriptedDaemon { command, connection in
            commands.add(command)
            if command == "\u{2}raw" { _ = ScriptedDaemon.receive(connection) }
        }
        let transport = Self.transport()
        _ = try await transport.contact(daemon.target)
        let report = try await transport.deliver(.receipt("k1", [1]), to: daemon.target) { _ in }
        #expect(report.evidence == .accepted && report.remoteJob == nil)
        #expect(commands.all == ["\u{3}raw", "\u{2}raw"])
    }

    @Test func `a missing queue is told with what to correct`() async throws {
        let daemon = try ScriptedDaemon { _, connection in connection.write("lpd: raw: unknown printer\n") }
        let target = try daemon.target
        let error = try await transportError { _ = try await Self.transport().contact(target) }
        #expect(error.code == .printerNotFound)
        #expect(error.message.contains("no queue raw; correct the queue in the printer's URL"))
    }

    @Test(arguments: ["Your host does not have line printer access", "Malformed from address"])
    func `a daemon that lets this computer in nowhere is told`(text: String) async throws {
        let daemon = try ScriptedDaemon { _, connection in connection.write("host: lpd: \(text)\n") }
        let target = try daemon.target
        let error = try await transportError { _ = try await Self.transport().contact(target) }
        #expect(error.code == .accessDenied && error.message.contains(text))
    }

    @Test func `a job that BSD's daemon lists a moment later is found`() async throws {
        let commands = Recorder<String>()
        let daemon = try ScriptedDaemon { command, connection in
            commands.add(command)
            if command == "\u{2}raw" {
                _ = ScriptedDaemon.receive(connection)
            } else if commands.all.count < 3 {
                connection.write("no entries\n")
            } else {
                connection.write("Rank   Owner      Job  Files                                 Total Size\n")
                connection.write("1st    till       4    k1                                    2 bytes\n")
            }
        }
        let report = try await Self.transport().deliver(.receipt("k1", [1, 2]), to: daemon.target) { _ in }
        #expect(report.remoteJob?.identifier == "4 k1")
        #expect(report.state == .processing && report.evidence == .accepted)
    }

    // MARK: The last octet

    @Test func `a connection that ends without the last octet is no success`() async throws {
        let daemon = try ScriptedDaemon { command, connection in
            if command == "\u{2}raw" { _ = ScriptedDaemon.receive(connection, acknowledging: [0, 0, 0, 0]) }
        }
        let error = try await Self.failure(daemon)
        #expect(error.code == .connectionLost)
        #expect(error.bytesAccepted == Self.receipt.count)
        #expect(error.message.contains("whether it has the job is unknown"))
        // Nor can the printer tell afterwards.
        let target = try daemon.target
        let located = try await transportError {
            _ = try await Self.transport().locate(.receipt("k1", Self.receipt), on: target)
        }
        #expect(located.code == .outcomeUnknown && located.isUnanswerable)
    }

    @Test func `a printer that never sends the last octet is given up in the end`() async throws {
        let daemon = try ScriptedDaemon { command, connection in
            if command == "\u{2}raw" { _ = ScriptedDaemon.receive(connection, acknowledging: [0, 0, 0, 0]) }
            connection.awaitEnd()
        }
        let error = try await Self.failure(daemon, Self.transport { $0.document = .milliseconds(200) })
        #expect(error.code == .timedOut)
        #expect(error.bytesAccepted == Self.receipt.count)
        #expect(error.message.contains("did not acknowledge the data"))
    }

    @Test func `a job that a spooler lists after the connection broke is found`() async throws {
        let daemon = try ScriptedDaemon { command, connection in
            if command == "\u{2}raw" {
                _ = ScriptedDaemon.receive(connection, acknowledging: [0, 0, 0, 0])
            } else {
                connection.write("raw is ready\nRank    Owner   Job     File(s)                         Total Size\n")
                connection.write("1st     till    7       k1 Receipt                      100352 bytes\n")
            }
        }
        let transport = Self.transport()
        #expect(try await Self.failure(daemon, transport).bytesAccepted == Self.receipt.count)
        let job = try await transport.locate(.receipt("k1", Self.receipt), on: daemon.target)
        #expect(job?.identifier == "7 k1")
    }

    // MARK: Refusals

    @Test(arguments: 0..<5)
    func `a refusal of each step has taken nothing at a spooler, and of its data perhaps all at a printer`(
        step: Int
    ) async throws {
        let isSpooler = Recorder<Bool>()
        let daemon = try ScriptedDaemon { command, connection in
            if command == "\u{2}raw" {
                _ = ScriptedDaemon.receive(
                    connection, acknowledging: [UInt8](repeating: 0, count: step) + [1])
            } else if !isSpooler.all.isEmpty {
                connection.write("raw is ready\nno entries\n")
            }
        }
        let transport = Self.transport()
        let error = try await Self.failure(daemon, transport)
        #expect(error.code == .printerNotAccepting)
        #expect(error.bytesAccepted == (step == 4 ? Self.receipt.count : 0))
        #expect(error.message.contains("refused") && error.message.contains("with 1"))
        isSpooler.add(true)
        _ = try await transport.contact(daemon.target)
        #expect(try await Self.failure(daemon, transport).bytesAccepted == 0)
    }

    @Test(arguments: [
        ("spool queue for 'raw' does not exist on server\ncheck it", TransportError.Code.printerNotFound),
        ("no permission to print", .accessDenied), ("5 copies allowed", .jobRefused), ("?\u{7}", .printerNotAccepting),
    ])
    func `the reason that follows a refusal is told`(text: String, code: TransportError.Code) async throws {
        let daemon = try ScriptedDaemon { _, connection in
            connection.write([3])
            // Word by word.
            for byte in text.utf8 { connection.write([byte]) }
        }
        let error = try await Self.failure(daemon)
        #expect(error.code == code)
        #expect(error.bytesAccepted == 0)
        #expect(!error.message.hasControlCharacters)
    }

    @Test func `a connection that is closed instead of the first acknowledgement is a queue that takes no jobs`()
        async throws
    {
        let error = try await Self.failure(try ScriptedDaemon { _, _ in })
        #expect(error.code == .printerNotAccepting && error.bytesAccepted == 0)
    }

    @Test func `a refusal without end is cut`() async throws {
        let daemon = try ScriptedDaemon { _, connection in
            while connection.write([UInt8](repeating: UInt8(ascii: "x"), count: 1000)) {}
        }
        let error = try await Self.failure(daemon)
        #expect(error.message.utf8.count < 600)
    }

    @Test func `an acknowledgement before the data is a violation, and the data may be printed`() async throws {
        let daemon = try ScriptedDaemon { _, connection in
            connection.write([0, 0, 0, 0, 0, 0])
            connection.awaitEnd()
        }
        let error = try await Self.failure(daemon)
        #expect(error.code == .protocolViolation)
    }

    // MARK: Silence, slowness, cancelling

    @Test func `a daemon that says nothing is given up`() async throws {
        let daemon = try ScriptedDaemon { _, connection in connection.awaitEnd() }
        let transport = Self.transport {
            $0.acknowledgement = .milliseconds(200)
            $0.query = .milliseconds(200)
        }
        let error = try await Self.failure(daemon, transport)
        #expect(error.code == .timedOut && error.bytesAccepted == 0)
        let target = try daemon.target
        let contact = try await transportError { _ = try await transport.contact(target) }
        #expect(contact.code == .timedOut)
    }

    @Test func `a listing that drips for ever ends at its deadline, and one without end at its bound`() async throws {
        let dripping = try ScriptedDaemon { _, connection in
            while connection.write([UInt8(ascii: "x")]) { usleepBriefly() }
        }
        let target = try dripping.target
        let error = try await transportError {
            _ = try await Self.transport { $0.query = .milliseconds(300) }.contact(target)
        }
        #expect(error.code == .timedOut)
        let endless = try ScriptedDaemon { _, connection in
            while connection.write([UInt8](repeating: UInt8(ascii: "x"), count: 4096)) {}
        }
        #expect(try await Self.transport().contact(endless.target).availability.state == .ready)
    }

    @Test func `acknowledgements that come one by one, late, are taken`() async throws {
        let daemon = try ScriptedDaemon { command, connection in
            guard command == "\u{2}raw" else { return }
            for _ in 0..<2 {
                usleepBriefly()
                connection.write([0])
                guard let line = connection.line(), let count = Int(line.dropFirst().prefix { $0 != " " }) else {
                    return
                }
                usleepBriefly()
                connection.write([0])
                for _ in 0...count { _ = connection.read(1) }
            }
            usleepBriefly()
            connection.write([0])
        }
        let report = try await Self.transport().deliver(.receipt("k1", [1, 2, 3]), to: daemon.target) { _ in }
        #expect(report.evidence == .accepted)
    }

    @Test(arguments: [0, 2, 4])
    func `a delivery is cancelled while any acknowledgement is awaited`(step: Int) async throws {
        let (reached, target) = (Gate(), Recorder<PrinterTarget>())
        let daemon = try ScriptedDaemon { command, connection in
            _ = ScriptedDaemon.receive(connection, acknowledging: [UInt8](repeating: 0, count: step))
            reached.open()
            connection.awaitEnd()
        }
        target.add(try daemon.target)
        let delivering = Task {
            try await Self.transport().deliver(.receipt("k1", Self.receipt), to: target.all[0]) { _ in }
        }
        try await reached.wait()
        delivering.cancel()
        let error = try await transportError { _ = try await delivering.value }
        #expect(error.code == .cancelled)
        #expect(error.bytesAccepted == (step == 4 ? Self.receipt.count : 0))
    }

    @Test func `a printer that stops reading is waited for, and a spooler prints no part`() async throws {
        let (big, reached) = ([UInt8](repeating: 7, count: 20_000_000), Gate())
        let daemon = try ScriptedDaemon { command, connection in
            guard command == "\u{2}raw" else {
                connection.write("raw is ready\nno entries\n")
                return
            }
            connection.write([0])
            for _ in 0..<2 {
                guard let line = connection.line(), let count = Int(line.dropFirst().prefix { $0 != " " }) else {
                    return
                }
                connection.write([0])
                if line.first == "\u{2}" {
                    _ = connection.read(count + 1)
                    connection.write([0])
                }
            }
            reached.block()
        }
        let transport = Self.transport { $0.document = .milliseconds(300) }
        let target = try daemon.target
        for isSpooler in [false, true] {
            if isSpooler { _ = try await transport.contact(target) }
            let error = try await transportError {
                _ = try await transport.deliver(.receipt("k1", big), to: target) { _ in }
            }
            #expect(error.code == .timedOut)
            #expect(isSpooler == (error.bytesAccepted == 0))
            #expect(error.bytesAccepted < big.count)
        }
        reached.open()
    }

    @Test func `nobody at the port is told with what to do`() async throws {
        let target = PrinterTarget(url: try PrinterURL("lpd://127.0.0.1:\(try freePort())/raw"))
        let error = try await transportError { _ = try await Self.transport().contact(target) }
        #expect(error.code == .connectionRefused)
        #expect(error.message.contains("switch LPD on"))
    }

    // MARK: Tickets

    @Test func `a ticket that LPD cannot tell is refused or remarked on`() async throws {
        let daemon = try ScriptedDaemon { command, connection in
            if command == "\u{2}raw" { _ = ScriptedDaemon.receive(connection) }
        }
        let target = try daemon.target
        var delivery = Delivery.receipt("k1", [1])
        delivery.ticket.accountID = "7"
        delivery.ticket.copies = 3
        let report = try await Self.transport().deliver(delivery, to: target) { _ in }
        #expect(report.remarks == ["LPD has no way to tell job-account-id: printed without"])
        delivery.ticket.fidelity = true
        let strict = delivery
        #expect(
            try await transportError { _ = try await Self.transport().deliver(strict, to: target) { _ in } }.code
                == .jobRefused)
        delivery.ticket.fidelity = nil
        delivery.ticket.sides = .twoSidedLongEdge
        let sided = delivery
        let error = try await transportError { _ = try await Self.transport().deliver(sided, to: target) { _ in } }
        #expect(error.code == .jobRefused && error.message.contains("sides=two-sided-long-edge"))
    }
}

/// Long enough that each octet comes in a packet of its own.
private func usleepBriefly() { usleep(2000) }
