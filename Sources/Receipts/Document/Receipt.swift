/// A receipt or label as its author means it: elements from top to bottom, with no printer in mind yet.
package struct Receipt: Hashable, Sendable {
    package var elements: [ReceiptElement]

    package init(_ elements: [ReceiptElement] = []) { self.elements = elements }

    package var hasCodes: Bool { elements.contains { if case .code = $0 { true } else { false } } }

    /// Whether paper of so many dots has room for its codes at their smallest.
    package func codesFit(within dots: Int) -> Bool {
        elements.allSatisfy { element in
            guard case .code(let code) = element else { return true }
            return (try? CheckedCode(code))?.size(code, within: dots) != nil
        }
    }

    /// What a caller must be allowed to do for this receipt to be printed.
    package var privileges: Set<ReceiptPrivilege> {
        Set(
            elements.compactMap { element in
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
