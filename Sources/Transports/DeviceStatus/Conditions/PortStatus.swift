/// The byte that GET_PORT_STATUS gives (USB printer class 1.1 §4.2.2): all that is known of a printer without a
/// back-channel. Its bits are those of the parallel port.
package struct PortStatus: Hashable, Sendable {
    package var byte: UInt8

    package init(_ byte: UInt8) { self.byte = byte }

    /// "Not error" is bit 3, "selected" bit 4, "paper empty" bit 5. A printer that cannot tell says 18h: all is well.
    package var condition: DeviceCondition {
        var facts = DeviceCondition.Facts()
        if byte & 0x08 == 0 { facts.insert(.error) }
        if byte & 0x10 == 0 { facts.insert(.offline) }
        if byte & 0x20 != 0 { facts.insert(.paperEnd) }
        return DeviceCondition(facts: facts, known: [.error, .offline, .paperEnd])
    }
}
