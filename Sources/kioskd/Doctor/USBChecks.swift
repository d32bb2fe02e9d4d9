import Glibc
import KioskDurableFiles
import KioskPrintModel
import KioskPrinterRegistry

/// Whether the daemon's user may open USB printers and serial ports.
struct USBChecks {
    let installation: Installation

    private static let rules = "60-kioskd-usb.rules"
    /// Where udev reads rules (udev(7)).
    private static let ruleFolders = [
        "/etc/udev/rules.d", "/run/udev/rules.d", "/usr/lib/udev/rules.d", "/lib/udev/rules.d",
    ]
    /// Where the package keeps what an administrator may put in place again.
    private static let share = "/usr/share/kioskd"
    /// USB printer class.
    private static let printerClass = "07"

    func findings() -> [DoctorFinding] {
        // Root may open every device.
        (installation.user == 0 ? [] : missingRules + closedNodes) + serialPorts
    }

    private var missingRules: [DoctorFinding] {
        guard !Self.ruleFolders.contains(where: { access("\($0)/\(Self.rules)", R_OK) == 0 }) else { return [] }
        return [
            .init(
                group: .usb, code: "udev-rules-missing", status: .warning, subject: Self.rules,
                message: "udev has no rule that gives USB printers to kioskd",
                command:
                    "install -D -m 644 \(Self.share)/\(Self.rules) /usr/lib/udev/rules.d/\(Self.rules) && udevadm control --reload && udevadm trigger --subsystem-match=usb --action=add"
            )
        ]
    }

    private var closedNodes: [DoctorFinding] {
        printerNodes.compactMap { node -> DoctorFinding? in
            guard let file = FileFacts(node) else { return nil }
            let isGroups = file.group == installation.group && file.permissions & 0o060 == 0o060
            guard !isGroups, file.user != installation.user, file.permissions & 0o006 != 0o006 else { return nil }
            return .init(
                group: .usb, code: "usb-node-closed", status: .warning, subject: node,
                message: "kioskd cannot open the USB printer \(node) (mode \(file.octal), group \(file.group))",
                command: "udevadm trigger --subsystem-match=usb --action=add")
        }
    }

    /// The nodes below /dev/bus/usb of devices with a printer interface.
    private var printerNodes: [String] {
        let devices = "/sys/bus/usb/devices"
        let names = (try? Folder.names(in: devices)) ?? []
        let found = names.filter { $0.contains(":") && line("\(devices)/\($0)/bInterfaceClass") == Self.printerClass }
        return Set(found.compactMap { $0.split(separator: ":").first.map(String.init) }).sorted().compactMap { device in
            guard let bus = line("\(devices)/\(device)/busnum").flatMap({ Int($0) }),
                let number = line("\(devices)/\(device)/devnum").flatMap({ Int($0) })
            else { return nil }
            return "/dev/bus/usb/\(Self.threeDigits(bus))/\(Self.threeDigits(number))"
        }
    }

    private static func threeDigits(_ number: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, 3 - digits.count)) + digits
    }

    private func line(_ path: String) -> String? {
        guard let bytes = try? AtomicFile.read(path, limit: 4096) else { return nil }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").first.map(String.init)
    }

    /// Ports that printers are saved at and that are not there.
    private var serialPorts: [DoctorFinding] {
        let printers = RegistryChecks.registry(of: installation)?.printers ?? []
        return printers.compactMap { printer -> DoctorFinding? in
            guard let path = printer.url.devicePath, access(path, F_OK) != 0 else { return nil }
            return .init(
                group: .usb, code: "serial-port-missing", status: .warning, subject: printer.id.rawValue,
                message: "\(printer.id) is saved at \(path), and there is no such port; plug it in, or save it anew",
                command: "ls -l /dev/serial/by-id")
        }
    }
}
