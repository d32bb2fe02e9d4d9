import PrintModel
import Receipts

extension Receipt {
    /// The receipt as a job prints it, once: cut at its end, with or without the drawer, and marked where it is a copy.
    func printed(with ticket: Ticket, isCopy: Bool, kicksDrawer: Bool = true) -> Receipt {
        var elements = elements
        // A copy is no sale: it opens no drawer.
        let kicks = kicksDrawer && !isCopy && ticket.drawer != false
        if !kicks { elements.removeAll(where: \.isDrawer) }
        elements = elements.cut(ticket.cut)
        if isCopy { elements.insert(.text(Self.copyMark, style: TextStyle(emphasis: true)), at: 0) }
        if kicks, ticket.drawer == true, !elements.contains(where: \.isDrawer) {
            elements.insert(.drawer(DrawerKick()), at: 0)
        }
        return Receipt(elements)
    }

    /// Above what was printed before, or may have been.
    static let copyMark = "*** COPY ***"
}

extension [ReceiptElement] {
    /// Ends with this cut. Where nothing is said of it, a receipt that ends without any is cut as markup's `=` does:
    /// its last lines would stay in the printer.
    fileprivate func cut(_ cut: Ticket.Cut?) -> [ReceiptElement] {
        // Settings and drawers move no paper.
        let last = lastIndex { !$0.isDrawer && !$0.isSettings }
        guard let last else { return self }
        var elements = self
        switch (cut, elements[last]) {
        case (nil, .cut), (nil, .command): return elements
        case (_, .cut): elements.remove(at: last)
        default: break
        }
        if cut != Ticket.Cut.none { elements.append(.cut(cut == .full ? .full : .partial)) }
        return elements
    }
}

extension ReceiptElement {
    fileprivate var isDrawer: Bool { if case .drawer = self { true } else { false } }
    fileprivate var isSettings: Bool { if case .settings = self { true } else { false } }
}
