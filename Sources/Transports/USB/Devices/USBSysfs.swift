import Glibc
import KioskDevicePrinting

/// The number of a device on its bus. The kernel assigns a new one each time that a device is plugged in.
struct BusAddress: Hashable, Sendable {
    var bus: UInt8
    var device: UInt8
}

/// The information about USB devices that Linux gives every process, below /sys/bus/usb/devices
/// (Documentation/ABI/stable/sysfs-bus-usb): their strings, even where this process may not open them, and the driver
/// of each interface.
struct USBSysfs: Sendable {
    /// The list of this machine's devices.
    static let system = USBSysfs(folder: "/sys/bus/usb/devices")

    private let folder: String

    init(folder: String) { self.folder = folder }

    /// The devices that the kernel lists, hubs included. Opens no device and sends nothing to any; blocks.
    ///
    /// Nil where the list cannot be read completely: without /sys, or where this process may open no more files.
    func addresses() -> Set<BusAddress>? {
        guard let listing = opendir(folder) else { return nil }
        defer { closedir(listing) }
        var addresses: Set<BusAddress> = []
        while let entry = readdir(listing) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let bus = Self.bus(ofDevice: name) else { continue }
            switch line("\(name)/devnum") {
            case .success(let number):
                if let device = UInt8(number) { addresses.insert(BusAddress(bus: bus, device: device)) }
            case .failure(.isGone): continue
            case .failure(.isUnreadable): return nil
            }
        }
        return addresses
    }

    /// The bus of a device's entry: `usb1` is the root hub of bus 1, `1-2.4` is behind it. Nil for an interface's,
    /// `1-2.4:1.0`.
    private static func bus(ofDevice name: String) -> UInt8? {
        guard !name.contains(":") else { return nil }
        if name.hasPrefix("usb") { return UInt8(name.dropFirst("usb".count)) }
        let parts = name.split(separator: "-")
        return parts.count == 2 ? UInt8(parts[0]) : nil
    }

    func strings(of port: USBPort) -> DeviceInspection {
        var found = DeviceInspection()
        (found.manufacturer, found.productName) = (string("\(port)/manufacturer"), string("\(port)/product"))
        let serial = string("\(port)/serial") ?? ""
        found.identity = DeviceIdentity(serialDescriptor: serial.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
        found.isComplete = false
        return found
    }

    /// The driver of an interface: `usbfs` while a program has claimed it, nil while it is free.
    func driver(of port: USBPort, configuration: UInt8, interface: Int) -> String? {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("\(folder)/\(port):\(configuration).\(interface)/driver", &buffer, buffer.count)
        guard count > 0 else { return nil }
        let target = String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return target.split(separator: "/").last.map(String.init)
    }

    private func string(_ name: String) -> String? {
        guard case .success(let text) = line(name), !text.isEmpty else { return nil }
        return text
    }

    private enum ReadError: Error {
        /// The device was unplugged, or has no such attribute.
        case isGone
        case isUnreadable
    }

    /// The first line of an attribute.
    private func line(_ name: String) -> Result<String, ReadError> {
        let file = open("\(folder)/\(name)", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            return .failure([ENOENT, ENODEV, ENOTDIR].contains(errno) ? .isGone : .isUnreadable)
        }
        defer { close(file) }
        // A string descriptor has at most 126 characters.
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = read(file, &bytes, bytes.count)
        // The device went between the two calls.
        guard count > 0 else { return .failure(.isGone) }
        return .success(
            String(decoding: bytes.prefix(count).prefix { $0 != UInt8(ascii: "\n") && $0 != 0 }, as: UTF8.self))
    }
}
