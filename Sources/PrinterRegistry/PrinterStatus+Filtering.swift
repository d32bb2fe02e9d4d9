public import PrintModel

extension Sequence<PrinterStatus> {
    /// The printers that do all of `jobTypes`. One of which that is not known yet (never contacted, no override) is
    /// left out only when `includingUnknown` is false: unknown is not unsupported.
    public func supporting(_ jobTypes: JobTypes, includingUnknown: Bool = true) -> [PrinterStatus] {
        filter { $0.supports(jobTypes) ?? includingUnknown }
    }

    /// The printers that would work on a job sent now.
    public func available() -> [PrinterStatus] {
        filter(\.availability.isAvailable)
    }

    /// The role's printers, first preference first; those that have no status are left out.
    public func inOrder(of role: Role) -> [PrinterStatus] {
        let all = Dictionary(map { ($0.printer.id, $0) }) { first, _ in first }
        return role.printers.compactMap { all[$0] }
    }
}
