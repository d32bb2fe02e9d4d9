package import PrintModel

/// Why a printer on the bus could not be found or opened.
package struct USBOpenError: Error, Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// No printer of this URL is plugged in.
        case notFound
        /// Several fit the URL; those that tell them apart.
        case ambiguous([PrinterURL])
        /// It has no interface of the kind that was asked for.
        case unsuitable
        /// We may not open this node, below /dev/bus/usb.
        case accessDenied(node: String)
        /// Another has it: the name of the kernel's driver, or nil for a program.
        case busy(owner: String?)
        /// This process has it open already.
        case alreadyOpen
        /// Unplugged while it was being opened.
        case gone
        /// There is no USB here, or libusb could not be started, or the bus was shut down.
        case unavailable
        case cancelled
        case failed
    }

    package var kind: Kind
    /// What was being done, in libusb's own word: `libusb_claim_interface`.
    package var operation: String
    /// LIBUSB_ERROR_…; 0 where libusb has nothing to do with it.
    package var code: Int32
    /// What is wrong, for people, without the printer's name and without what to do.
    package var reason: String

    package init(_ kind: Kind, operation: String, code: Int32 = 0, reason: String) {
        self.kind = kind
        self.operation = operation
        self.code = code
        self.reason = reason
    }
}
