import Glibc
import KioskPrintModel
import KioskPrinterRegistry

/// Whether printers on the network can be found, and found again after their address has changed.
struct NetworkChecks {
    let installation: Installation

    func findings() -> [DoctorFinding] { avahi + addresses }

    private var avahi: [DoctorFinding] {
        guard access("/run/avahi-daemon/socket", F_OK) != 0 else { return [] }
        let isInstalled = access("/usr/sbin/avahi-daemon", X_OK) == 0
        return [
            .init(
                group: .network, code: "avahi-not-running", status: .warning, subject: "avahi-daemon",
                message:
                    "Avahi is not running, so printers that announce themselves are not found, nor those that moved",
                command: isInstalled
                    ? "systemctl enable --now avahi-daemon"
                    : "apt-get install --no-install-recommends -y avahi-daemon libavahi-client3")
        ]
    }

    /// An address that a router gives may be another printer's tomorrow.
    private var addresses: [DoctorFinding] {
        let printers = RegistryChecks.registry(of: installation)?.printers ?? []
        return printers.compactMap { printer -> DoctorFinding? in
            let host = printer.url.host
            guard printer.url.scheme != .usb, let address = RemoteAddress(host), !address.isLoopback else { return nil }
            if address.isLinkLocal {
                return .init(
                    group: .network, code: "printer-address-link-local", status: .warning,
                    subject: printer.id.rawValue,
                    message:
                        "\(printer.id) is saved at \(host), an address that it has given itself because no router gave it one",
                    command: "kioskctl discover")
            }
            return .init(
                group: .network, code: "printer-address-numeric", status: .ok, subject: printer.id.rawValue,
                message:
                    "\(printer.id) is saved at the address \(host): reserve it for the printer in the router, or save the printer by its name",
                command: nil)
        }
    }
}
