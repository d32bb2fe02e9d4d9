import PrintModel

/// A receipt as one printer takes it, all copies of it.
struct EncodedReceipt {
    var bytes: [UInt8]
    /// What is printed otherwise than the receipt says, as sentences without an end.
    var remarks: [String]
    /// The longest of its pages, where the printer takes pages.
    var rollPage: RollPage?
    /// How it ends, where the document does not say that in the printer's own language.
    var cut: Ticket.Cut?
}
