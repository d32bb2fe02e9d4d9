import IPP
import IPPCodec
import PrintModel
import SimulatedPrinter
import TestSupport
import Testing

/// Printers whose connections a dialer opens: everything of IPP is as over the network.
@Suite struct DialedPrinterTests {
    private let receipt = [UInt8]("\u{1B}@Coffee 2.50\n".utf8)

    private static func target(credentials: String? = nil) throws -> PrinterTarget {
        PrinterTarget(url: try PrinterURL("usb://Maker/Model?serial=S1"), credentials: credentials)
    }

    private func withTransport(
        _ dialer: some PrinterDialer, credentials: (any CredentialSource)? = nil, clock: (any Clock<Duration>)? = nil,
        deadlines: IPPTransport.Deadlines = .patient, _ body: (IPPTransport) async throws -> Void
    ) async throws {
        let transport = IPPTransport(credentials: credentials, dialer: dialer, deadlines: deadlines, clock: clock)
        do {
            try await body(transport)
        } catch {
            await transport.shutDown()
            throw error
        }
        await transport.shutDown()
    }

    @Test func `a receipt arrives byte for byte at a real printer and ends as printed`() async throws {
        let printer = try await EvePrinter()
        let dialer = LoopbackDialer(port: printer.port)
        let target = try Self.target()
        try await withTransport(dialer) { transport in
            #expect(transport.schemes == [.usb])
            let contact = try await transport.contact(target)
            #expect(contact.description.name == "Test Printer")
            let taken = try await transport.deliver(.receipt("k1", receipt), to: target) { _ in }
            let report = try await transport.follow(try #require(taken.remoteJob), on: target) { _ in }
            #expect(report.state == .completed)
            #expect(report.evidence == .printed)
            #expect(try await transport.locate(.receipt("k1", receipt), on: target) == taken.remoteJob)
        }
        #expect(try readFile(try #require(try printer.keptFiles().first)) == receipt)
        #expect(dialer.dials.all.allSatisfy { $0 == target })
        #expect(!dialer.dials.all.isEmpty)
    }

    @Test(arguments: [1, 2, 3]) func `a long document arrives over a printer that serves so many connections`(
        limit: Int
    ) async throws {
        let printer = try await EvePrinter()
        let document = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try await withTransport(LoopbackDialer(port: printer.port, limit: limit)) { transport in
            let target = try Self.target()
            async let contact = transport.contact(target)
            let taken = try await transport.deliver(.receipt("k1", document), to: target) { _ in }
            let report = try await transport.follow(try #require(taken.remoteJob), on: target) { _ in }
            #expect(report.evidence == .printed)
            #expect(try await contact.description.name == "Test Printer")
        }
        #expect(try readFile(try #require(try printer.keptFiles().first)) == document)
    }

    @Test func `requests name the printer as one on the host that the cable leads to`() async throws {
        let requests = Recorder<ScriptedConnection.Request>()
        let printer = try ScriptedPrinter { connection in
            while true {
                let request = try connection.readRequest()
                requests.add(request)
                try connection.answer(request)
            }
        }
        defer { printer.stop() }
        try await withTransport(LoopbackDialer(port: printer.port)) { transport in
            _ = try await transport.contact(Self.target())
        }
        let request = try #require(requests.all.first)
        #expect(request.head.hasPrefix("POST /ipp/print HTTP/1.1\r\n"))
        #expect(request.field("host") == "localhost")
        #expect(request.field("connection") == nil)
        #expect(request.message.groups.first?["printer-uri"]?.string == "ipp://localhost/ipp/print")
    }

    @Test func `a printer that serves one connection at a time never gets two`() async throws {
        let printer = try await SimulatedPrinter.start()
        let dialer = LoopbackDialer(port: printer.port, limit: 1)
        try await withTransport(dialer) { transport in
            let target = try Self.target()
            try await withThrowingTaskGroup { group in
                for number in 0..<8 {
                    group.addTask {
                        _ = try await transport.contact(target)
                        _ = try await transport.deliver(.receipt("k\(number)", receipt), to: target) { _ in }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await printer.connectionCount == 1)
        }
        #expect(dialer.dials.all.count == 1)
        #expect(try await printer.documents.count == 8)
        try await printer.stop()
    }

    @Test func `nobody listens for events where that would take the last connection`() async throws {
        let isOver = Gate()
        let asked = Recorder<IPPOperation>()
        let printer = try ScriptedPrinter { connection in
            while true {
                let request = try connection.readRequest()
                asked.add(request.message.operation)
                guard request.message.operation != .getPrinterAttributes else {
                    let operations: [IPPOperation] = [
                        .printJob, .getJobAttributes, .createPrinterSubscriptions, .getNotifications,
                    ]
                    try connection.reply(
                        ScriptedConnection.ok(
                            ScriptedConnection.printer(
                                IPPAttribute("notify-pull-method-supported", keyword: "ippget"),
                                IPPAttribute("operations-supported", .enums(operations.map { Int32($0.rawValue) })))))
                    continue
                }
                let isEnough = asked.all.count { $0 == .getJobAttributes } > 30
                if isEnough { isOver.open() }
                try connection.reply(ScriptedConnection.ok(ScriptedConnection.job(7, state: isEnough ? 9 : 5)))
            }
        }
        defer { printer.stop() }
        try await withTransport(LoopbackDialer(port: printer.port, limit: 2), clock: JumpingClock()) { transport in
            _ = try await transport.contact(Self.target())
            let report = try await transport.follow(RemoteJob(identifier: "7"), on: Self.target()) { _ in }
            #expect(report.state == .completed)
        }
        #expect(!asked.all.contains(.createPrinterSubscriptions))
    }

    @Test func `a login goes to a printer that nobody can listen to, without leave for plain logins`() async throws {
        let printer = try ScriptedPrinter { connection in
            while true {
                let request = try connection.readRequest()
                if request.field("authorization") == "Basic dGlsbDpnZWhlaW0=" {
                    try connection.answer(request)
                } else {
                    try connection.demand(LoginServer.basic)
                }
            }
        }
        defer { printer.stop() }
        let credentials = ScriptedCredentials(user: "till", "geheim")
        try await withTransport(LoopbackDialer(port: printer.port), credentials: credentials) { transport in
            let contact = try await transport.contact(Self.target(credentials: "office"))
            #expect(contact.description.name == "Scripted")
        }
    }
}
