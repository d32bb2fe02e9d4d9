import KioskPrintModel

/// What of a ticket a queue does not do, or may not do: a spooler takes options that it does not know, and tells
/// nobody.
enum LprRemarks {
    /// Sentences without a full stop. `description`: what the queue's options said at the last contact; nil before one.
    static func all(
        _ ticket: Ticket, _ dialect: LprSettings.Dialect, _ description: PrinterDescription?
    ) -> [String] {
        var remarks: [String] = []
        if let cut = ticket.cut, cut != Ticket.Cut.none {
            remarks.append("lpr has no option for cut=\(cut.rawValue): printed without")
        }
        if let sides = ticket.sides, sides != .oneSided, let listed = description?.sides, !listed.isEmpty,
            !listed.contains(sides.rawValue)
        {
            remarks.append("the queue's options have no sides=\(sides.rawValue), which it may have ignored")
        }
        if ticket.colorMode == .color, description?.isColor == false {
            remarks.append("the queue's options have no print-color-mode=color, which it may have ignored")
        }
        let accounts = [("job-account-id", ticket.accountID), ("job-accounting-user-id", ticket.accountingUserID)]
        for (key, value) in accounts {
            guard let value, dialect != .cups || !LprOptions.isOptionValue(value) else { continue }
            remarks.append("lpr cannot tell \(key) to the queue: printed without")
        }
        return remarks
    }
}
