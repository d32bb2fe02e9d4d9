import IPP
import IPPCodec
import PrintModel
import TestSupport
import Testing

/// Dialers that open no connection, and printers behind them that are none.
@Suite struct DialingFailureTests {
    private static var target: PrinterTarget {
        get throws { PrinterTarget(url: try PrinterURL("usb://Maker/Model?serial=S1")) }
    }

    /// Fails, or never answers.
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
