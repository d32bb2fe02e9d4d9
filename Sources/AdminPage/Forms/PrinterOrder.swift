package import KioskPrintModel

/// The printers of a role in their order, and what the buttons of the page do to it.
package struct PrinterOrder: Hashable, Sendable {
    private let printers: [PrinterID]

    /// An order.
    package init(_ printers: [PrinterID]) { self.printers = printers }

    /// The order after a form: `up`, `down` or `remove` with a printer's id, `add` with one, or the whole `order`.
    /// A printer that is not there, or is there already, changes nothing.
    package func changed(by fields: FormFields) -> [PrinterID] {
        func id(_ field: String) -> PrinterID? { fields.text(field).flatMap { PrinterID(rawValue: $0) } }
        var printers = printers
        if let up = id("up").flatMap(printers.firstIndex), up > 0 { printers.swapAt(up, up - 1) }
        if let down = id("down").flatMap(printers.firstIndex), down + 1 < printers.count {
            printers.swapAt(down, down + 1)
        }
        if let gone = id("remove") { printers.removeAll { $0 == gone } }
        if let order = fields.text("order") {
            let wanted = order.split(separator: " ").compactMap { PrinterID(rawValue: String($0)) }
            // The same printers in another order; anything else was made for another state of the role.
            if Set(wanted) == Set(printers), wanted.count == printers.count { printers = wanted }
        }
        if let new = id("add"), !printers.contains(new) { printers.append(new) }
        return printers
    }
}
