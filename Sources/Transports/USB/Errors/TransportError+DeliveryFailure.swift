import DevicePrinting
import PrintModel

extension TransportError {
    /// Why a printer did not print or confirm a job, in words for people. `length`: of its document, however many
    /// copies it was to have.
    init(_ failure: DeliveryFailure, printer: PrinterURL, length: Int64) {
        let (code, advice) = Self.explain(failure)
        let underlying = failure.pipe.flatMap { $0.code == 0 ? nil : NativeCode.libUSB(Int($0.code)) }
        self.init(
            code, operation: failure.pipe?.operation ?? "print", message: "\(printer): \(failure.reason)\(advice)",
            bytesAccepted: min(Int64(failure.taken), length), underlying: underlying)
    }

    /// What has begun can come to its end without our hearing of it, so nothing but the paper tells.
    private static func explain(_ failure: DeliveryFailure) -> (Code, advice: String) {
        let look = "; a part of the job was sent, so look at the paper"
        let hasBegun = failure.taken > 0
        switch failure.kind {
        case .cancelled: return (.cancelled, "")
        case .documentUnreadable: return (.documentUnreadable, "; print the document again")
        case .stopped: return (.printerNotAccepting, "")
        case .ticketUnfulfilled: return (.jobRefused, "")
        case .lost: return (.outcomeUnknown, look)
        case .silent: return (hasBegun ? .outcomeUnknown : .timedOut, hasBegun ? look : "")
        case .gone:
            return (hasBegun ? .outcomeUnknown : .connectionLost, hasBegun ? look : "; plug it in and switch it on")
        case .pipe:
            return (
                hasBegun ? .outcomeUnknown : .connectionLost,
                hasBegun ? look : "; unplug it and plug it in again if that goes on"
            )
        }
    }
}
