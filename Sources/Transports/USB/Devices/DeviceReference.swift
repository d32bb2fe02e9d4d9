import CLibUSB

/// A device as libusb knows it from when it is plugged in until it goes. While this lives, no other has its address in
/// memory.
final class DeviceReference: Sendable {
    // libusb is safe for threads, and counts references.
    nonisolated(unsafe) let pointer: OpaquePointer
    let context: USBContext

    /// Takes a reference of its own.
    init(_ pointer: OpaquePointer, in context: USBContext) {
        self.pointer = libusb_ref_device(pointer)
        self.context = context
    }

    deinit { libusb_unref_device(pointer) }

    /// Where it is plugged in. USB has seven tiers at most (USB 3.0 §4.1.2.1).
    var port: USBPort {
        var ports = [UInt8](repeating: 0, count: 7)
        let count = libusb_get_port_numbers(pointer, &ports, Int32(ports.count))
        return USBPort(bus: libusb_get_bus_number(pointer), ports: Array(ports.prefix(max(0, Int(count)))))
    }

    var address: UInt8 { libusb_get_device_address(pointer) }
}

extension DeviceReference: Hashable {
    static func == (left: DeviceReference, right: DeviceReference) -> Bool { left.pointer == right.pointer }
    func hash(into hasher: inout Hasher) { hasher.combine(pointer) }
}
