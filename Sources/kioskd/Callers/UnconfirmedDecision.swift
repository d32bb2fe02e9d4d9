import KioskAPI
import KioskAccess
import KioskPrintModel

/// What a person says about a job of which nobody else can know whether it was printed.
enum UnconfirmedDecision: String {
    /// Somebody has seen it on paper.
    case cameOut = "job.confirm"
    /// It is to be printed again.
    case printAgain = "job.release"

    fileprivate var words: String {
        switch self {
        case .cameOut: "it came out"
        case .printAgain: "it is printed again"
        }
    }
}

extension AuditLog {
    /// Notes who decided what about a held job.
    func note(_ decision: UnconfirmedDecision, about job: Job.ID, by caller: Caller) {
        note(
            AuditEntry(
                time: .now, actor: caller.actor, address: caller.address ?? "local", action: decision.rawValue,
                object: "\(job)", message: decision.words))
    }
}
