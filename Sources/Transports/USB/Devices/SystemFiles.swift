import DevicePrinting
import Glibc

/// What Linux tells everyone of the devices on the bus, below /sys/bus/usb/devices
/// (Documentation/ABI/stable/sysfs-bus-usb): their texts, also where we may not open them, and which driver has an
/// interface.
enum SystemFiles {
    private static let folder = "/sys/bus/usb/devices"

    static func texts(of port: USBPort) -> DeviceInspection {
        var found = DeviceInspection()
        (found.manufacturer, found.productName) = (text("\(port)/manufacturer"), text("\(port)/product"))
        let serial = text("\(port)/serial") ?? ""
        found.identity = DeviceIdentity(serialDescriptor: serial.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
        found.isComplete = false
        return found
    }

    /// The driver of an interface; `usbfs` while a program has it, nil while it is free.
    static func driver(of port: USBPort, configuration: UInt8, interface: Int) -> String? {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("\(folder)/\(port):\(configuration).\(interface)/driver", &buffer, buffer.count)
        guard count > 0 else { return nil }
        let target = String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return target.split(separator: "/").last.map(String.init)
    }

    private static func text(_ name: String) -> String? {
        let file = open("\(folder)/\(name)", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        // A string descriptor has 126 characters at most.
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = read(file, &bytes, bytes.count)
        guard count > 0 else { return nil }
        let text = String(decoding: bytes.prefix(count).prefix { $0 != UInt8(ascii: "\n") && $0 != 0 }, as: UTF8.self)
        return text.isEmpty ? nil : text
    }
}
