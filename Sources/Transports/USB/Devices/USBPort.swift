/// Where a device is plugged in: the bus, and the ports from its root hub on. Linux's name of it is `1-2.4`
/// (Documentation/ABI/stable/sysfs-bus-usb). It stays the same when a device is plugged out and in again.
package struct USBPort: Hashable, Sendable, CustomStringConvertible {
    package var bus: UInt8
    package var ports: [UInt8]

    package init(bus: UInt8, ports: [UInt8]) {
        self.bus = bus
        self.ports = ports
    }

    package var description: String { "\(bus)-\(ports.map(String.init).joined(separator: "."))" }
}

extension USBPort: Comparable {
    package static func < (left: USBPort, right: USBPort) -> Bool {
        left.bus != right.bus ? left.bus < right.bus : left.ports.lexicographicallyPrecedes(right.ports)
    }
}
