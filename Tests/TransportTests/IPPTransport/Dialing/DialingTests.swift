import KioskIPP
import KioskIPPCodec
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

/// Printers whose connections a dialer opens: IPP works as over the network.
@Suite struct DialedPrinterTests {
    private let receipt = [UInt8]("\u{1B}@Coffee 2.50\n".utf8)

    private static func target(credentials: String? = nil) throws -> PrinterTarget {
        PrinterTarget(url: try PrinterURL("usb://Maker/Model?serial=S1"), credentials: credentials)
    }

    private func withTransport(
        _ dialer: some PrinterDialer, credentials: (any CredentialSource)? = nil, clock: (any Clock<Duration>)? = nil,
        deadlines: IPPTransport.Deadlines = .patient, _ body: (IPPTransport) async throws -> Void
    ) async throws {
        try await use(
            IPPTransport(credentials: credentials, dialer: dialer, deadlines: deadlines, clock: clock), body)
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
                try connection.respond(to: request)
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
                    try connection.respond(to: request)
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

/// Dialers that open no connection, or lead to something that is not a printer.
@Suite struct DialingFailureTests {
    private static var target: PrinterTarget {
        get throws { PrinterTarget(url: try PrinterURL("usb://Maker/Model?serial=S1")) }
    }

    /// Fails, or never returns.
    private struct StubbornDialer: PrinterDialer {
        let schemes: Set<PrinterURL.Scheme> = [.usb]
        let isReached = Gate()
        var error: TransportError?

        func dial(_ printer: PrinterTarget) async throws -> DialedConnection {
            isReached.open()
            if let error { throw error }
            do {
                try await Task.sleep(for: .seconds(600))
            } catch {}
            throw TransportError(.cancelled, operation: "dial", message: "cancelled")
        }
    }

    private func error(of transport: IPPTransport) async throws -> TransportError {
        let error = await #expect(throws: TransportError.self) { try await transport.contact(Self.target) }
        await transport.shutDown()
        return try #require(error)
    }

    @Test func `what the dialer says comes through`() async throws {
        let said = TransportError(
            .accessDenied, operation: "open", message: "no rights; install the rule", underlying: .libUSB(-3))
        let error = try await error(of: IPPTransport(dialer: StubbornDialer(error: said), deadlines: .patient))
        #expect(error.code == .accessDenied)
        #expect(error.message == said.message)
        #expect(error.underlying == .libUSB(-3))
        #expect(error.bytesAccepted == 0)
    }

    @Test func `a dialer that never answers is given up in time`() async throws {
        var deadlines = IPPTransport.Deadlines.patient
        deadlines.connect = .milliseconds(50)
        let error = try await error(of: IPPTransport(dialer: StubbornDialer(), deadlines: deadlines))
        #expect(error.code == .timedOut)
        #expect(error.bytesAccepted == 0)
    }

    @Test(arguments: ["cancelling", "forgetting", "shutting down"])
    func `a dial under way ends by`(_ way: String) async throws {
        let dialer = StubbornDialer()
        var deadlines = IPPTransport.Deadlines.patient
        deadlines.connect = .seconds(600)
        let transport = IPPTransport(dialer: dialer, deadlines: deadlines)
        let target = try Self.target
        let contact = Task { try await transport.contact(target) }
        try await dialer.isReached.wait()
        switch way {
        case "cancelling": contact.cancel()
        case "forgetting": await transport.forget(target)
        default: await transport.shutDown()
        }
        let error = await #expect(throws: TransportError.self) { try await contact.value }
        #expect(error?.code == .cancelled)
        await transport.shutDown()
    }

    @Test(arguments: [404, 405, 426, 501])
    func `a printer that has no IPP there is told so, and nothing is upgraded to TLS`(status: Int) async throws {
        let printer = try ScriptedPrinter { connection in
            while true {
                _ = try connection.readRequest()
                try connection.send(
                    "HTTP/1.1 \(status) No\r\nUpgrade: TLS/1.2\r\nConnection: Upgrade\r\nContent-Length: 0\r\n\r\n")
            }
        }
        defer { printer.stop() }
        let error = try await error(of: IPPTransport(dialer: LoopbackDialer(port: printer.port), deadlines: .patient))
        #expect(error.code == (status == 426 ? .tlsRequired : .printerNotFound))
        #expect(error.underlying == .httpStatus(status))
        #expect(error.message.hasPrefix("usb://Maker/Model?serial=S1: "))
        #expect(!error.message.contains("/ipp/print"))
        #expect(printer.connectionCount == 1)
    }

    @Test func `other printers are refused`() async throws {
        let transport = IPPTransport(dialer: StubbornDialer(), deadlines: .patient)
        let error = await #expect(throws: TransportError.self) {
            try await transport.contact(PrinterTarget(url: PrinterURL("ipp://localhost/ipp/print")))
        }
        #expect(error?.code == .notSupported)
        await transport.shutDown()
    }
}
