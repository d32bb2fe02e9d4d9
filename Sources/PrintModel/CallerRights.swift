/// What not every caller may have printed.
public struct CallerRights: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Open the cash drawer, with a receipt or a ticket.
    public static let drawer = CallerRights(rawValue: 1 << 0)
    /// Put bytes for the printer into a receipt. They can do all that its language can, the drawer included.
    public static let rawCommands = CallerRights(rawValue: 1 << 1)
    /// Send documents that are commands for a printer (ESC/POS, ZPL …) and go to it as they are.
    public static let rawDocuments = CallerRights(rawValue: 1 << 2)
    public static let all: CallerRights = [.drawer, .rawCommands, .rawDocuments]
}
