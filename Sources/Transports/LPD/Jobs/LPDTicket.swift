import KioskPrintModel

/// What of a ticket a line printer daemon can be told: copies, and nothing else.
enum LPDTicket {
    /// Why a job with this ticket is refused, as the rest of a sentence; nil where it is not. A job is never printed
    /// differently from its ticket.
    static func refusal(_ ticket: Ticket) -> String? {
        if let wish = ticket.wishes.first(where: { !accounts.contains($0.key) }) {
            return "LPD has no way to ask for \(wish.key)=\(wish.value); print without it, or over IPP"
        }
        if ticket.jobPassword != nil || ticket.jobPasswordEncryption != nil {
            return "LPD has no way to ask for a job-password, and would print at once; print without it, or over IPP"
        }
        if ticket.fidelity == true, let remark = remarks(ticket).first {
            return "\(remark), and the ticket asks for fidelity; print without it"
        }
        return nil
    }

    /// What of a ticket is not told, as sentences without a full stop.
    static func remarks(_ ticket: Ticket) -> [String] {
        var remarks: [String] = []
        if let cut = ticket.cut, cut != Ticket.Cut.none {
            remarks.append("LPD has no way to ask for cut=\(cut.rawValue): printed without")
        }
        let told = ticket.wishes.map(\.key)
        for key in accounts where told.contains(key) {
            remarks.append("LPD has no way to tell \(key): printed without")
        }
        return remarks
    }

    private static let accounts = ["job-account-id", "job-accounting-user-id"]

    /// What tickets can ask for. A printer that is no spooler may ignore how often a control file names the data, so
    /// the engine sends it the document again.
    static func support(of dialect: LprSettings.Dialect?) -> TicketSupport {
        TicketSupport(
            copies: dialect == nil ? 1 : LPDJob.maximumCopies,
            values: Dictionary(
                uniqueKeysWithValues: accounts.map { ($0, []) }), refusesOthers: true)
    }
}
