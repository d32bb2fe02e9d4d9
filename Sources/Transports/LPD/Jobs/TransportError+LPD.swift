import Glibc
import KioskDurableFiles
import KioskPrintModel
import KioskQueueListings
import NIOCore
import NIOPosix

extension TransportError {
    /// The error for people of a failed exchange. `length`: of the document that was submitted; nil where only a queue
    /// was asked. `isSpooler`: whether the other side is known to print only what it has whole.
    init(_ failure: LPDFailure, operation: String, printer: PrinterURL, length: Int64? = nil, isSpooler: Bool = false) {
        let taken = length.map { isSpooler && failure.given < $0 ? 0 : min(failure.given, $0) } ?? 0
        let code: Code
        var message: String
        var errno: CInt?
        var accepted = taken
        switch failure.reason {
        case .notConnected(let error): (code, message, errno) = Self.explainConnecting(error, printer)
        case .lost(_, nil) where failure.step == .receiveJob:
            // As cups-lpd does at a queue that takes no jobs.
            (code, message) = (
                .printerNotAccepting,
                "it closed the connection instead of acknowledging a job; check the name of its queue, and whether the "
                    + "queue accepts jobs"
            )
        case .lost(let reason, let number):
            (code, message, errno) = (.connectionLost, "the connection to the printer broke (\(reason))", number)
        case .timedOut(let time):
            let awaited = failure.step.map { "did not acknowledge \($0.name)" } ?? "did not answer"
            (code, message) = (.timedOut, "it \(awaited) within \(time.components.seconds) s")
        case .violated(let reason):
            (code, message) = (.protocolViolation, "it does not speak LPD as RFC 1179 has it: \(reason)")
        case .unreadable(let failure):
            let cause = failure.systemMessage.map { " (\($0))" } ?? ""
            (code, message) = (.documentUnreadable, "\(failure.path) cannot be read\(cause); print the document again")
        case .cancelled: (code, message) = (.cancelled, "it was cancelled")
        case .refused(let step, let octet, let text):
            // A spooler has removed what it refuses. A printer may have printed what it got.
            if isSpooler { accepted = 0 }
            (code, message) = Self.explainRefusal(step, octet, text, printer)
        }
        if accepted > 0 {
            message +=
                accepted == length
                ? "; whether it has the job is unknown: look whether it printed"
                : "; a part of the document was sent, so look at the paper"
        } else if code == .connectionLost || code == .timedOut, errno == nil {
            message += "; check the printer's power, its network and the name of its queue"
        }
        self.init(
            code, operation: operation, message: "\(printer): \(message)", bytesAccepted: accepted,
            underlying: errno.map { .errno($0) })
    }

    private static func explainConnecting(_ error: any Error, _ printer: PrinterURL) -> (Code, String, CInt?) {
        switch error {
        case ChannelError.connectTimeout:
            return (.timedOut, "nothing answers there; check the printer's power, its cable and its address", nil)
        case let error as NIOConnectionError:
            let causes = error.connectionErrors.map(\.error)
            if let cause = causes.first(where: { $0 is IOError }) ?? causes.first {
                return explainConnecting(cause, printer)
            }
            return (
                .hostNotFound,
                "the host name \(printer.host) is not known; check the printer's URL and this computer's DNS", nil
            )
        case let error as IOError:
            let text = strerror(error.errnoCode).map { String(cString: $0) } ?? "errno \(error.errnoCode)"
            let isRefused = error.errnoCode == ECONNREFUSED || error.errnoCode == ECONNRESET
            return (
                isRefused ? .connectionRefused : .timedOut,
                isRefused
                    ? """
                    it accepts no connection at port \(printer.effectivePort ?? 515); switch LPD on in the printer's \
                    settings, or start the print server there
                    """
                    : "it cannot be reached (\(text)); check the printer's power, its cable and its address",
                error.errnoCode
            )
        default: return (.connectionLost, "it cannot be connected to (\(error)); check its address", nil)
        }
    }

    private static func explainRefusal(
        _ step: LPDSubmission.Step, _ octet: UInt8, _ text: String, _ printer: PrinterURL
    ) -> (Code, String) {
        let said = text.split(whereSeparator: \.isNewline).joined(separator: " ").withoutControlCharacters
            .prefix(utf8Count: 200)
        let what = "it refused \(step.name) with \(octet)\(said.isEmpty ? "" : " (\(said))")"
        let words = said.lowercased()
        func mentions(_ phrases: String...) -> Bool { phrases.contains { words.firstRange(ofText: $0) != nil } }
        if mentions("does not exist", "unknown printer") {
            return (.printerNotFound, "\(what); correct the queue in the printer's URL, or set it up there")
        }
        if mentions("permission", "not allowed", "access") {
            return (.accessDenied, "\(what); allow this computer to print there")
        }
        if mentions("copies", "job size", "too large") {
            return (.jobRefused, "\(what); print less at once, or change the limit there")
        }
        // BSD's lpd and CUPS's say 1 for a queue that is closed or that they have not, and BSD's 2 for a full disk.
        return (
            .printerNotAccepting,
            "\(what); check the name of its queue, whether the queue accepts jobs, and the space on its disk"
        )
    }
}

extension JobReport {
    /// The printer acknowledged the job, and lists no jobs.
    static let acceptedUnlisted = JobReport(
        state: .completed, reasons: ["queued-in-device"], evidence: .accepted,
        message: "the printer accepted the job, and does not list it: whether it printed is not known")
}
