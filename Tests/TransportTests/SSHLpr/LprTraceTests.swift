import KioskPrintModel
import KioskSSH
import KioskTestSupport
import Logging
import Testing

@testable import KioskSSHLpr

/// What a trace tells about the calls of one printer.
@Suite struct LprTraceTests {
    private static let secret = Array("Card 4111 1111 1111 1111\n".utf8)
    private static let probe =
        "program lpr\nprogram lpq\nprogram lprm\nhead exact\nlpr lpr: Error - unknown option \"V\".\nend\n"

    private let trace = WireTrace()
    private let lines = Recorder<WireTrace.Line>()

    private var messages: [String] { lines.all.map(\.message) }

    /// A delivery to a host that responds to the first command, and then gives this result.
    @discardableResult
    private func failedDelivery(
        _ result: @escaping @Sendable () throws -> RemoteResult
    ) async throws -> TransportError {
        let host = ScriptedHost { _, before in before == 0 ? .response(Self.probe) : try result() }
        let transport = SSHLprTransport(
            hosts: HostPool { _, _ in PrintHost(host) {} }, settings: { _ in LprSettings() }, deadlines: .init(),
            clock: JumpingClock(), trace: trace, logger: Logger(label: "test"))
        let target = PrinterTarget(url: try PrinterURL("ssh+lpr://kiosk@host/receipt"))
        let listener = trace.listen(to: target.url) { [lines] in lines.add($0) }
        defer { listener.stop() }
        return try await transportError {
            _ = try await transport.deliver(.receipt("bcdfghjk-1-1", Self.secret), to: target) { _ in }
        }
    }

    @Test func `a delivery tells the login, the commands and their ends, and nothing of the document`() async throws {
        try await withCups(trace: trace) { _, host in
            let listener = trace.listen(to: host.target.url) { [lines] in lines.add($0) }
            defer { listener.stop() }
            _ = try await host.deliver(.receipt("bcdfghjk-1-1", Self.secret))
            let told = messages
            #expect(told.contains("log in as \(host.server.user) with a key"))
            #expect(told.contains("logged in as \(host.server.user)"))
            #expect(told.contains { $0.hasPrefix("exec: exec sh -c ") && $0.contains("'bcdfghjk-1-1'") })
            #expect(told.contains("sent 25 of 25 bytes of the document"))
            #expect(told.contains { $0.hasPrefix("exit status 0, ") })
            #expect(!told.contains { $0.contains("4111") })
            #expect(!told.contains { $0.contains("PRIVATE KEY") })
        }
    }

    @Test func `a command that fails tells its exit status and its errors`() async throws {
        try await failedDelivery { .failure(1, "lpr: receipt is not accepting jobs\n\u{1B}[31mred") }
        #expect(messages.contains { $0.hasPrefix("exit status 1, ") })
        #expect(messages.contains { $0.hasPrefix("stderr: kiosk-lpr lpr: receipt is not accepting jobs") })
        #expect(!messages.contains { $0.contains("\u{1B}") })
    }

    @Test func `a long text of the host is cut`() async throws {
        try await failedDelivery { .failure(1, "lpr: " + String(repeating: "x", count: 10_000)) }
        let errors = try #require(messages.first { $0.hasPrefix("stderr: ") })
        #expect(errors.count < 300)
    }

    @Test func `a call that is cancelled or fails is told`() async throws {
        try await failedDelivery { throw SSHError(.cancelled, operation: "exec", reason: "cancelled") }
        #expect(messages.last == "exec was cancelled")
        try await failedDelivery { throw SSHError(.timedOut, operation: "exec", reason: "it did not end") }
        #expect(messages.last == "exec failed: exec: it did not end")
    }

    @Test func `the output of a command that gets a document is not told, nor is it in the error`() async throws {
        let error = try await failedDelivery { RemoteResult(exit: .status(1), output: Self.secret) }
        #expect(error.message.contains("lpr said nothing") && !error.message.contains("4111"), "\(error.message)")
        #expect(messages.contains { $0.hasPrefix("exit status 1, 25 bytes of output") })
        #expect(!messages.contains { $0.contains("4111") })
    }
}
