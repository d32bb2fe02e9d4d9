package import DevicePrinting

/// An interface of a printer. Each is owned and driven separately.
package struct USBPrinterInterface: Hashable, Sendable {
    package var number: Int
    package var alternates: [USBAlternate]
    /// The alternate setting whose device id is requested. Only the owner may send requests to one of a vendor-specific
    /// class, and few would respond.
    package var deviceIDAlternate: USBAlternate? { alternates.first { $0.kind != .vendor } }
    /// The response to GET_DEVICE_ID; nil where it was not requested, or there was none.
    package var deviceID: DeviceID?
    /// The owner; nil while it is free.
    package var owner: Owner?

    package enum Owner: Hashable, Sendable {
        /// A kernel driver, `usblp`: it is detached for a connection and reattached afterwards.
        case kernel(String)
        /// Another program, which keeps the interface.
        case program
        case thisProcess
    }
}

/// An alternate setting of an interface, with the bulk endpoints that a printer is driven by.
package struct USBAlternate: Hashable, Sendable {
    package var number: Int
    package var `class`: UInt8
    package var subclass: UInt8
    package var `protocol`: UInt8
    package var out: USBEndpoint
    /// Nil where it cannot respond.
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

    /// The kind of an alternate setting, by the protocols of the printer class (USB printer class 1.1 §4.1; IPP over
    /// USB 1.0).
    package enum Kind: Hashable, Sendable {
        case unidirectional
        case bidirectional
        case ippOverUSB
        /// A vendor-specific class, which some receipt printers have in place of the printer class.
        case vendor
    }
}

/// A bulk endpoint.
package struct USBEndpoint: Hashable, Sendable {
    /// The address, with bit 7 set for the direction to the host.
    package var address: UInt8
    /// The packet size in bytes.
    package var packet: Int

    package init(address: UInt8, packet: Int) {
        self.address = address
        self.packet = packet
    }
}
