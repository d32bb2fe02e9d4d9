import KioskIPP
import KioskIPPCodec
import KioskPrintModel
import KioskTestSupport
import Testing

/// Whatever is under way ends when its printer is forgotten or everything is shut down.
@Suite struct ShutDownTests {
    private func codes(
        _ end: (IPPTransport, PrinterTarget) async -> Void,
        whileIn script: @escaping @Sendable (ScriptedConnection, Gate) throws -> Void,
        _ call: @escaping @Sendable (IPPTransport, PrinterTarget) async throws -> Void
    ) async throws -> TransportError.Code? {
        let isReached = Gate()
        let printer = try ScriptedPrinter { try script($0, isReached) }
        defer { printer.stop() }
        let target = try printer.target
        let transport = IPPTransport(deadlines: .patient)
        let task = Task { try await call(transport, target) }
        try await isReached.wait()
        await end(transport, target)
        let result = await task.result
        await transport.shutDown()
        guard case .failure(let error as TransportError) = result else { return nil }
        return error.code
    }

    private static func silence(_ connection: ScriptedConnection, _ isReached: Gate) throws {
        _ = try connection.readRequest()
        isReached.open()
        connection.waitForClose()
    }

    private static func printForever(_ connection: ScriptedConnection, _ isReached: Gate) throws {
        for number in 0... {
            _ = try connection.readRequest()
            try connection.reply(ScriptedConnection.ok(ScriptedConnection.job(7, state: 5)))
            if number == 3 { isReached.open() }
        }
    }

    @Test func `shutting down ends a question`() async throws {
        let code = try await codes({ transport, _ in await transport.shutDown() }, whileIn: Self.silence) {
            _ = try await $0.contact($1)
        }
        #expect(code == .cancelled)
    }

    @Test func `shutting down ends following, asking and pausing alike`() async throws {
        let code = try await codes({ transport, _ in await transport.shutDown() }, whileIn: Self.printForever) {
            _ = try await $0.follow(RemoteJob(identifier: "7"), on: $1) { _ in }
        }
        #expect(code == .cancelled)
    }

    @Test func `forgetting a printer ends what is under way with it`() async throws {
        let code = try await codes({ transport, target in await transport.forget(target) }, whileIn: Self.silence) {
            _ = try await $0.contact($1)
        }
        #expect(code == .cancelled)
    }

    @Test func `shutting down ends an attempt to connect`() async throws {
        let transport = IPPTransport(deadlines: .patient)
        // TEST-NET-1 (RFC 5737): routed nowhere, or refused at once; either way the call ends.
        let target = PrinterTarget(url: try PrinterURL("ipp://192.0.2.1/ipp/print"))
        let task = Task { try await transport.contact(target) }
        await Task.yield()
        await transport.shutDown()
        await #expect(throws: TransportError.self) { try await task.value }
    }

    @Test func `a call after the end is refused`() async throws {
        let transport = IPPTransport(deadlines: .patient)
        await transport.shutDown()
        let target = PrinterTarget(url: try PrinterURL("ipp://127.0.0.1:9/ipp/print"))
        let error = try await #require(throws: TransportError.self) { try await transport.contact(target) }
        #expect(error.code == .cancelled)
    }
}
