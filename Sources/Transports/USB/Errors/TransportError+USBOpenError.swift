import PrintModel

extension TransportError {
    /// Why a printer could not be opened, in words for people. Nothing was sent.
    init(_ error: USBOpenError, printer: PrinterURL) {
        let (code, words) = Self.explain(error)
        self.init(
            code, operation: error.operation, message: "\(printer): \(words)",
            underlying: error.code == 0 ? nil : .libUSB(Int(error.code))
        )
    }

    private static func explain(_ error: USBOpenError) -> (Code, String) {
        switch error.kind {
        case .notFound:
            (
                .hostNotFound,
                "no such printer is plugged in, or it is switched off; check its cable and power, and compare its URL with: kioskctl discover --usb"
            )
        case .ambiguous(let urls):
            (
                .hostNotFound,
                "several printers fit this URL; save the one that is meant under its own: \(urls.map(\.description).joined(separator: ", "))"
            )
        case .unsuitable:
            (.printerNotFound, "\(error.reason); check that the URL names the right interface of the printer")
        case .accessDenied(let node):
            (.accessDenied, "this program may not open \(node); \(USBRights.advice)")
        case .busy(owner: let driver?):
            (
                .connectionRefused,
                "the kernel's driver \(driver) has the printer and does not give it up; unplug it and plug it in again"
            )
        case .busy(owner: nil):
            (
                .connectionRefused,
                "another program has the printer open; end that program, or remove the printer from it (CUPS: lpadmin -x)"
            )
        case .alreadyOpen: (.connectionRefused, "all of its interfaces are in use; try again soon")
        case .gone: (.connectionLost, "the printer was unplugged or switched off")
        case .unavailable: (.hostNotFound, "there is no USB here: \(error.reason)")
        case .cancelled: (.cancelled, "the opening was cancelled")
        case .failed:
            (.connectionLost, "the printer cannot be opened (\(error.reason)); unplug it and plug it in again")
        }
    }
}

/// What lets the daemon open printers without being root.
package enum USBRights {
    /// The rest of a sentence, for people who see that it may not.
    package static let advice =
        "install the udev rule that gives printers to the group kioskd, and run this program in that group: install -m 644 60-kioskd-usb.rules /usr/lib/udev/rules.d && udevadm control --reload && udevadm trigger --subsystem-match=usb --action=add"
}
