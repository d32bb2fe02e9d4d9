package import DevicePrinting

/// One interface of a printer. Each is owned and driven for itself.
package struct USBPrinterInterface: Hashable, Sendable {
    package var number: Int
    package var alternates: [USBAlternate]
    /// The alternate setting under which it is asked for its device id. Nobody but the owner may ask one of the
    /// vendor's class, and few would answer.
    package var askedAlternate: USBAlternate? { alternates.first { $0.kind != .vendor } }
    /// What it answers GET_DEVICE_ID with; nil where it was not asked or said nothing.
    package var deviceID: DeviceID?
    package var owner: Owner?

    /// Who has it.
    package enum Owner: Hashable, Sendable {
        /// A driver of the kernel, `usblp`: it gives way, and gets the interface back.
        case kernel(String)
        /// A program: it does not.
        case program
        case thisProcess
    }
}
