import PrintModel
import Receipts

extension Receipt {
    /// The receipt as a job prints it on one printer, without what that has nothing for; and what that was, as
    /// sentences without an end.
    func printed(
        with ticket: Ticket, isCopy: Bool, kicksDrawer: Bool = true, on form: PrinterForm
    ) -> (receipt: Receipt, remarks: [String]) {
        var remarks: [String] = []
        if !form.hasCutter, ticket.cut.map({ $0 != Ticket.Cut.none }) ?? elements.contains(where: \.isCut) {
            remarks.append("the printer has no cutter: the paper is fed to where it is torn off")
        }
        var receipt = printed(with: ticket, isCopy: isCopy, kicksDrawer: kicksDrawer)
        let kicks = receipt.elements.compactMap(\.connector)
        let drawers = form.drawers
        guard kicks.contains(where: { $0 > drawers }) else { return (receipt, remarks) }
        receipt.elements.removeAll { ($0.connector ?? 0) > drawers }
        remarks.append(
            drawers == 0
                ? "the printer has no drawer: none was opened"
                : "the printer has one drawer only: the second was not opened")
        return (receipt, remarks)
    }
}

extension PrinterForm {
    /// That it can open, as it is printed to.
    fileprivate var drawers: Int {
        switch target {
        case .escPos, .star: settings.drawers
        case .label, .raster, .text: 0
        }
    }

    /// Between labels paper is parted already.
    fileprivate var hasCutter: Bool { !settings.cuts.isEmpty || settings.language.isForLabels }
}

extension ReceiptElement {
    fileprivate var connector: Int? { if case .drawer(let kick) = self { kick.connector } else { nil } }
    fileprivate var isCut: Bool { if case .cut(let mode) = self { mode != .feed } else { false } }
}
