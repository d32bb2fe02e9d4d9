/// A receipt or label as its author means it: elements from top to bottom, with no printer in mind yet.
package struct Receipt: Hashable, Sendable {
    package var elements: [ReceiptElement]

    package init(_ elements: [ReceiptElement] = []) { self.elements = elements }

    /// What a caller must be allowed to do for this receipt to be printed.
    package var privileges: Set<ReceiptPrivilege> {
        Set(elements.compactMap { element in
            switch element {
            case .command: .rawCommands
            case .drawer: .drawer
            default: nil
            }
        })
    }
}

/// What not every caller may do.
package enum ReceiptPrivilege: String, Hashable, Sendable, CaseIterable {
    /// Send bytes to the printer as they are: they can do all that its language can, the drawer included.
    case rawCommands = "raw-commands"
    case drawer
}
