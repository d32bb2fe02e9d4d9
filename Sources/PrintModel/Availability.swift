/// Whether a printer can take a job now, and why not: one model over IPP state reasons, ESC/POS status, USB port status
/// and `lpq`.
public struct Availability: Hashable, Sendable, Codable {
    public var state: State
    /// All that the printer said, in its order.
    public var reasons: [StateReason]
    /// A sentence for people: the error that made it unreachable, or the printer's own state message.
    public var message: String?

    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        case ready
        /// Works on a job, and takes more.
        case busy
        /// Prints, but wants looking after soon: paper is low.
        case attention
        /// There, but does not print until a reason is removed.
        case stopped
        /// Could not be contacted.
        case unreachable
        /// Never contacted yet, or its answer says nothing.
        case unknown
    }

    public init(_ state: State, reasons: [StateReason] = [], message: String? = nil) {
        self.state = state
        self.reasons = reasons
        self.message = message
    }

    public static let unknown = Availability(.unknown)

    /// Whether a job sent now would be worked on.
    public var isAvailable: Bool {
        switch state {
        case .ready, .busy, .attention: true
        case .stopped, .unreachable, .unknown: false
        }
    }
}
