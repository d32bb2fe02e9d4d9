/// What not every caller may have printed.
public struct CallerRights: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Open the cash drawer, with a receipt or a ticket.
    public static let drawer = CallerRights(rawValue: 1 << 0)
    /// Put bytes for the printer into a receipt. They can do all that its language can, the drawer included.
    public static let rawCommands = CallerRights(rawValue: 1 << 1)
    public static let all: CallerRights = [.drawer, .rawCommands]
}
