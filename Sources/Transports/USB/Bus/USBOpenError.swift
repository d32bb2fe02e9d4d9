package import KioskPrintModel

/// Why a printer on the bus could not be found or opened.
package struct USBOpenError: Error, Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// No printer of this URL is plugged in.
        case notFound
        /// Several match the URL; their own URLs.
        case ambiguous([PrinterURL])
        /// It has no interface for the requested use.
        case unsuitable
        /// This process may not open this node, below /dev/bus/usb.
        case accessDenied(node: String)
        /// Another owner has it: the name of the kernel driver, or nil for a program.
        case busy(owner: String?)
        /// This process has it open already.
        case alreadyOpen
        /// Unplugged while it was being opened.
        case disconnected
        /// This machine has no USB, libusb could not be started, or the bus was shut down.
        case unavailable
        case cancelled
        case failed
    }

    package var kind: Kind
    /// The failed operation, as libusb names it: `libusb_claim_interface`.
    package var operation: String
    /// LIBUSB_ERROR_…; 0 where no libusb call failed.
    package var code: Int32
    /// What is wrong, for people, without the printer's name and without advice.
    package var reason: String

    package init(_ kind: Kind, operation: String, code: Int32 = 0, reason: String) {
        self.kind = kind
        self.operation = operation
        self.code = code
        self.reason = reason
    }
}

extension USBOpenError {
    static let cancelled = USBOpenError(.cancelled, operation: "libusb_open", reason: "it was cancelled")
    static let disconnected = USBOpenError(
        .disconnected, operation: "libusb_open", code: LibUSBCode.noDevice.value,
        reason: "it was unplugged or switched off")
    static let noThread = USBOpenError(.failed, operation: "pthread_create", reason: "the system has no thread left")
    static let shutDown = USBOpenError(.unavailable, operation: "libusb_init", reason: "the USB bus was shut down")
}

extension USBPrinter {
    /// The error for this printer where opening one of its interfaces failed.
    func openError(_ failure: LibUSBFailure, _ interface: USBPrinterInterface) -> USBOpenError {
        let (operation, code) = (failure.operation, failure.code)
        switch code {
        case .noDevice: return .disconnected
        case .accessDenied: return accessDenied(operation: operation, code: code)
        case .busy:
            var owner: String?
            if case .kernel(let driver)? = interface.owner { owner = driver }
            return USBOpenError(
                .busy(owner: owner), operation: operation, code: code.value, reason: "another program has it open")
        default: return USBOpenError(.failed, operation: operation, code: code.value, reason: code.message)
        }
    }

    /// The error for this printer where this process may not open it.
    func accessDenied(operation: String, code: LibUSBCode = .accessDenied) -> USBOpenError {
        USBOpenError(
            .accessDenied(node: node), operation: operation, code: code.value,
            reason: "this program may not open \(node)")
    }
}

extension TransportError {
    /// The error for people of a printer that could not be opened. Nothing was sent.
    init(_ error: USBOpenError, printer: PrinterURL) {
        let (code, message) = Self.explain(error)
        self.init(
            code, operation: error.operation, message: "\(printer): \(message)",
            underlying: error.code == 0 ? nil : .libUSB(Int(error.code))
        )
    }

    private static func explain(_ error: USBOpenError) -> (Code, String) {
        switch error.kind {
        case .notFound:
            (
                .hostNotFound,
                """
                no such printer is plugged in, or it is switched off; check its cable and power, and compare its URL \
                with: kioskctl discover --usb
                """
            )
        case .ambiguous(let urls):
            (
                .hostNotFound,
                """
                several printers match this URL; save the right one under its own URL: \
                \(urls.map(\.description).joined(separator: ", "))
                """
            )
        case .unsuitable:
            (.printerNotFound, "\(error.reason); check that the URL names the right interface of the printer")
        case .accessDenied(let node):
            (.accessDenied, "this program may not open \(node); \(USBRights.advice)")
        case .busy(owner: let driver?):
            (
                .connectionRefused,
                "the kernel driver \(driver) has the printer and does not release it; unplug it and plug it in again"
            )
        case .busy(owner: nil):
            (
                .connectionRefused,
                """
                another program has the printer open; end that program, or remove the printer from it \
                (CUPS: lpadmin -x)
                """
            )
        case .alreadyOpen: (.connectionRefused, "all of its interfaces are in use; try again soon")
        case .disconnected: (.connectionLost, "the printer was unplugged or switched off")
        case .unavailable: (.hostNotFound, "there is no USB here: \(error.reason)")
        case .cancelled: (.cancelled, "the opening was cancelled")
        case .failed:
            (.connectionLost, "the printer cannot be opened (\(error.reason)); unplug it and plug it in again")
        }
    }
}

/// Advice for granting the daemon access to printers without root.
package enum USBRights {
    /// The end of a sentence, for people whose daemon has no access.
    package static let advice =
        """
        install the udev rule that gives printers to the group kioskd, and run this program in that group: \
        install -m 644 60-kioskd-usb.rules /usr/lib/udev/rules.d && udevadm control --reload \
        && udevadm trigger --subsystem-match=usb --action=add
        """
}
