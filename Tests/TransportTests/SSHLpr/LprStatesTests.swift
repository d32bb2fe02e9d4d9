import KioskPrintModel
import KioskSSH
import KioskTestSupport
import Logging
import Testing

@testable import KioskSSHLpr

/// What the transport makes of answers that no real host gives at will.
@Suite struct LprStatesTests {
    private static let cups =
        "program lpr\nprogram lpq\nprogram lprm\nhead exact\nlpr lpr: Error - unknown option \"V\".\nend\n"

    private static func transport(
        probe: String = cups, settings: LprSettings = LprSettings(),
        _ answers: @escaping @Sendable (Int) throws -> RemoteResult
    ) -> (SSHLprTransport, ScriptedHost) {
        let host = ScriptedHost { _, before in before == 0 ? .response(probe) : try answers(before) }
        let pool = HostPool { _, _ in PrintHost(host) {} }
        let transport = SSHLprTransport(
            hosts: pool, settings: { _ in settings }, deadlines: .init(), clock: JumpingClock(),
            logger: Logger(label: "test"))
        return (transport, host)
    }

    private static func target() throws -> PrinterTarget {
        PrinterTarget(url: try PrinterURL("ssh+lpr://kiosk@host/receipt"))
    }

    private static func failure(_ result: RemoteResult) async throws -> TransportError {
        let (transport, _) = transport { _ in result }
        return try await transportError {
            _ = try await transport.deliver(.receipt("bcdfghjk-1-1", [1, 2, 3]), to: try target()) { _ in }
        }
    }

    @Test(arguments: [
        (RemoteResult.failure(127, "sh: 1: lpr: not found"), TransportError.Code.programMissing, Int64(0)),
        (.failure(127, "/usr/local/bin/lpr: 4: accounting: not found"), .printerFailed, 3),
        (.failure(127, "setsid: failed to execute lpr: No such file or directory"), .programMissing, 0),
        (.failure(75, "", ofLpr: false), .connectionLost, 0),
        (.failure(75, "lpr: try again later"), .printerFailed, 3),
        (.failure(76, ""), .printerFailed, 3),
        (.failure(73, "cat: write error: No space left on device", ofLpr: false), .printerFailed, 0),
        (.failure(1, "lpr: Destination \"receipt\" is not accepting jobs."), .printerNotAccepting, 0),
        (.failure(1, "lpr: Printer queue is disabled."), .printerNotAccepting, 0),
        (.failure(1, "lpr: receipt: unknown printer"), .printerNotFound, 0),
        (.failure(1, "lpr: Not allowed to print."), .accessDenied, 0),
        (.failure(1, "Sorry, your print quota is used up."), .jobRefused, 0),
        (.failure(1, "Fatal error - Maximum of 1 copies allowed"), .jobRefused, 0),
        (.failure(1, "lpr: Unsupported document-format \"foo/bar\"."), .formatRefused, 0),
        (.failure(1, "lpr: Error - unable to queue from stdin - Broken pipe."), .printerFailed, 0),
        (.failure(1, "lpr: Error - unable to queue from stdin - OK."), .printerFailed, 3),
        (.failure(1, "Something else"), .printerFailed, 3),
        (.failure(139, ""), .printerFailed, 3),
        (RemoteResult(exit: .signal("KILL")), .printerFailed, 3),
        (RemoteResult(exit: .unknown), .printerFailed, 3),
        (RemoteResult(exit: .status(0)), .printerFailed, 3),
        (
            RemoteResult(exit: .status(0), output: Array("kiosk-answer\n".utf8), isInputComplete: false),
            .printerFailed, 3
        ),
    ])
    func `lpr's end becomes an error that says whether anything can print`(
        _ result: RemoteResult, _ code: TransportError.Code, _ accepted: Int64
    ) async throws {
        // CUPS's lpr is checked by lpq where it says that a queue is unknown: here that is missing as well.
        let answered = try await Self.failure(result)
        if code != .printerNotFound { #expect(answered.code == code) }
        if code != .printerNotFound { #expect(answered.bytesAccepted == accepted) }
        #expect(!answered.message.isEmpty)
    }

    @Test func `a connection that breaks before the last line was out leaves the job free`() async throws {
        for isComplete in [false, true] {
            let (transport, _) = Self.transport { _ in
                var error = SSHError(.connectionLost, operation: "lpr", reason: "reset")
                error.isInputComplete = isComplete
                throw error
            }
            let error = try await transportError {
                _ = try await transport.deliver(.receipt("bcdfghjk-1-1", [1, 2, 3]), to: try Self.target()) { _ in }
            }
            #expect(error.code == .connectionLost)
            #expect(error.bytesAccepted == (isComplete ? 3 : 0))
        }
    }

    @Test func `a host whose lpq says nothing has the job all the same`() async throws {
        let (transport, _) = Self.transport { _ in .response("") }
        let report = try await transport.deliver(.receipt("bcdfghjk-1-1", [1]), to: try Self.target()) { _ in }
        #expect(report.state == .completed)
        #expect(report.evidence == .accepted)
        #expect(report.remoteJob == nil)
    }

    @Test func `lpq that is not understood for a minute leaves the outcome unknown`() async throws {
        let (transport, host) = Self.transport { _ in .response("lpq: a daemon's daily mystery\n") }
        let job = RemoteJob(identifier: "7 bcdfghjk-1-1")
        let error = try await transportError { _ = try await transport.follow(job, on: try Self.target()) { _ in } }
        #expect(error.code == .outcomeUnknown)
        #expect(error.message.contains("daily mystery"))
        #expect(host.commands.all.count > 5)
        #expect(host.commands.all.count < 100)
    }

    @Test func `another job under the same number is not ours`() async throws {
        let table =
            "receipt is ready\nRank    Owner   Job     File(s)                         Total Size\n"
            + "1st     kiosk   7       bcdfghjk-99-1 another           1024 bytes\n"
        let (transport, _) = Self.transport { _ in .response(table) }
        let report = try await transport.follow(RemoteJob(identifier: "7 bcdfghjk-1-1"), on: try Self.target()) { _ in }
        #expect(report.state == .completed)
        let error = try await transportError {
            try await transport.cancel(RemoteJob(identifier: "7 bcdfghjk-1-1"), on: try Self.target())
        }
        #expect(error.code == .outcomeUnknown)
    }

    @Test(arguments: ["", "7", "x bcdfghjk-1-1", "7 bcdfghjk-1-1 more", "-7 bcdfghjk-1-1", "7 "])
    func `an identifier of no queue is asked for nowhere`(_ identifier: String) async throws {
        let (transport, host) = Self.transport { _ in .response("") }
        let error = try await transportError {
            _ = try await transport.follow(RemoteJob(identifier: identifier), on: try Self.target()) { _ in }
        }
        #expect(error.code == .outcomeUnknown)
        #expect(host.commands.all.isEmpty)
    }

    @Test func `a host without lpr, or with a login that runs no shell, is told apart`() async throws {
        let (missing, _) = Self.transport(probe: "end\n") { _ in .response("") }
        let error = try await transportError { _ = try await missing.contact(try Self.target()) }
        #expect(error.code == .programMissing)
        #expect(error.message.contains("cups-bsd"))
        let (menu, _) = Self.transport(probe: "Welcome to the menu") { _ in .response("") }
        let menuError = try await transportError { _ = try await menu.contact(try Self.target()) }
        #expect(menuError.code == .protocolViolation)
    }
}
