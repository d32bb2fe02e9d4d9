/// The byte that GET_PORT_STATUS gives (USB printer class 1.1 §4.2.2): all that is known of a printer without a
/// back-channel. Its bits are those of the parallel port.
package struct PortStatus: Hashable, Sendable {
    package var byte: UInt8

    package init(_ byte: UInt8) { self.byte = byte }

    /// "Not error" is bit 3, "selected" bit 4, "paper empty" bit 5. A printer that cannot tell says 18h: all is well. A
    /// byte with a reserved bit, or without any, is one that nobody has filled in: nothing is known from it.
    package var condition: DeviceCondition {
        guard byte & Self.reserved == 0, byte != 0 else { return DeviceCondition() }
        var facts = DeviceCondition.Facts()
        if byte & 0x08 == 0 { facts.insert(.error) }
        if byte & 0x10 == 0 { facts.insert(.offline) }
        if byte & 0x20 != 0 { facts.insert(.paperEnd) }
        return DeviceCondition(facts: facts, known: [.error, .offline, .paperEnd])
    }

    private static let reserved: UInt8 = 0b1100_0111
}
