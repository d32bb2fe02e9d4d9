import KioskPrintModel
import Testing

@testable import KioskEngine

@Suite struct FailureDecisionTests {
    private static let every: [TransportError.Code] = [
        .hostNotFound, .connectionRefused, .connectionLost, .timedOut, .cancelled, .authenticationRequired,
        .printerNotFound,
        .printerBusy, .printerNotAccepting, .jobRefused, .formatRefused, .outcomeUnknown, .protocolViolation,
        .printerFailed,
        .documentUnreadable, .notSupported, .loginRefused, .accessDenied, .credentialsUnusable, .certificateUntrusted,
        .certificateChanged, .certificateNotAccepted, .tlsRequired, .tlsFailed,
    ]

    @Test(arguments: every)
    func `never sends again when a byte may have been taken`(code: TransportError.Code) {
        let error = TransportError(code, operation: "Print-Job", message: "", bytesAccepted: 1)
        #expect(FailureDecision(error) == (code == .outcomeUnknown ? .doubt : .ask))
    }

    @Test(arguments: every)
    func `follows a job that the printer has named, whatever went wrong`(code: TransportError.Code) {
        let job = RemoteJob(identifier: "7")
        let error = TransportError(code, operation: "Send-Document", message: "", remoteJob: job)
        #expect(FailureDecision(error) == (code == .outcomeUnknown ? .doubt : .follow(job)))
    }

    @Test func `takes a busy printer for no failure`() {
        #expect(FailureDecision(TransportError(.printerBusy, operation: "Print-Job", message: "")) == .retrySoon)
    }

    @Test(arguments: [TransportError.Code.jobRefused, .formatRefused, .notSupported])
    func `looks for another printer when this one will never take the job`(code: TransportError.Code) {
        #expect(FailureDecision(TransportError(code, operation: "Print-Job", message: "no")) == .refused)
    }

    @Test(arguments: [TransportError.Code.hostNotFound, .connectionRefused, .connectionLost, .timedOut, .printerFailed])
    func `passes over a printer that cannot be reached`(code: TransportError.Code) {
        let expected = FailureDecision.passOver(Availability(.unreachable, message: "no route"))
        #expect(FailureDecision(TransportError(code, operation: "connect", message: "no route")) == expected)
    }

    @Test(arguments: [
        (TransportError.Code.certificateUntrusted, Availability.State.stopped), (.certificateChanged, .stopped),
        (.certificateNotAccepted, .stopped), (.tlsRequired, .stopped), (.tlsFailed, .unreachable),
        (.authenticationRequired, .stopped), (.loginRefused, .stopped), (.accessDenied, .stopped),
        (.credentialsUnusable, .stopped),
    ])
    func `passes over a printer that may not be used, and names the reason`(
        code: TransportError.Code, state: Availability.State
    ) {
        let reason = StateReason(keyword: "\(code)", severity: .error)
        #expect(
            FailureDecision(TransportError(code, operation: "connect", message: "no"))
                == .passOver(Availability(state, reasons: [reason], message: "no")))
    }

    @Test func `gives a job up whose document cannot be read, unless part of it went out`() {
        #expect(FailureDecision(TransportError(.documentUnreadable, operation: "read", message: "")) == .abort)
    }
}
