/// An alternate setting of an interface, with the bulk endpoints that a printer is driven by.
package struct USBAlternate: Hashable, Sendable {
    package var number: Int
    package var `class`: UInt8
    package var subclass: UInt8
    package var `protocol`: UInt8
    package var out: USBEndpoint
    /// Nil where it cannot answer.
    package var `in`: USBEndpoint?

    package var kind: Kind? {
        switch (`class`, subclass, `protocol`) {
        case (7, 1, 1): .unidirectional
        case (7, 1, 2): .bidirectional
        case (7, 1, 4): .ippOverUSB
        case (0xFF, _, _): .vendor
        default: nil
        }
    }

    /// What a printer is driven by, as the protocols of the printer class go (USB printer class 1.1 §4.1; IPP over USB
    /// 1.0).
    package enum Kind: Hashable, Sendable {
        case unidirectional
        case bidirectional
        case ippOverUSB
        /// A class of the vendor's own, which some receipt printers have in place of the printer class.
        case vendor
    }
}

package struct USBEndpoint: Hashable, Sendable {
    /// With bit 7 for the direction to the host.
    package var address: UInt8
    /// Bytes of a packet.
    package var packet: Int

    package init(address: UInt8, packet: Int) {
        self.address = address
        self.packet = packet
    }
}
