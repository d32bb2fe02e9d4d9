/// What a simulated printer pretends to be.
package enum PrinterKind: String, Hashable, Sendable, CaseIterable {
    case receipt, label, laser, inkjet
}
