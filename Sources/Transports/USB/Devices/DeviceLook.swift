import CLibUSB
import PrintModel

/// What a device says of itself without being asked: its descriptors, which the kernel has read when it was plugged in.
struct DeviceLook: Hashable, Sendable {
    var kind: USBModel
    /// Numbers of its texts; 0 where there is none.
    var manufacturerText: UInt8
    var productText: UInt8
    var serialText: UInt8
    /// Which of its configurations is active, from 0.
    var configuration: Int
    /// The active one's own number.
    var configurationValue: UInt8
    /// Those that a printer is driven by.
    var interfaces: [USBPrinterInterface]

    /// Nil for one that is no printer. `vendorPrinters` are printers although their class is the vendor's own.
    init?(_ device: DeviceReference, vendorPrinters: Set<USBModel>) {
        var descriptor = libusb_device_descriptor()
        var found: UnsafeMutablePointer<libusb_config_descriptor>?
        guard libusb_get_device_descriptor(device.pointer, &descriptor) == 0,
            libusb_get_active_config_descriptor(device.pointer, &found) == 0, let found
        else { return nil }
        defer { libusb_free_config_descriptor(found) }
        kind = USBModel(vendor: descriptor.idVendor, product: descriptor.idProduct)
        (manufacturerText, productText, serialText) = (
            descriptor.iManufacturer, descriptor.iProduct, descriptor.iSerialNumber
        )
        configurationValue = found.pointee.bConfigurationValue
        configuration = Self.index(of: configurationValue, in: device, count: descriptor.bNumConfigurations)
        let takesVendorClass = vendorPrinters.contains(kind)
        let all = UnsafeBufferPointer(start: found.pointee.interface, count: Int(found.pointee.bNumInterfaces))
        interfaces = all.compactMap { Self.interface($0, takesVendorClass: takesVendorClass) }
        guard !interfaces.isEmpty else { return nil }
    }

    private static func index(of value: UInt8, in device: DeviceReference, count: UInt8) -> Int {
        for index in 0..<count {
            var found: UnsafeMutablePointer<libusb_config_descriptor>?
            guard libusb_get_config_descriptor(device.pointer, index, &found) == 0, let found else { continue }
            defer { libusb_free_config_descriptor(found) }
            if found.pointee.bConfigurationValue == value { return Int(index) }
        }
        return 0
    }

    private static func interface(_ raw: libusb_interface, takesVendorClass: Bool) -> USBPrinterInterface? {
        let all = UnsafeBufferPointer(start: raw.altsetting, count: max(0, Int(raw.num_altsetting)))
        let alternates = all.compactMap(alternate).filter { $0.kind != nil && ($0.kind != .vendor || takesVendorClass) }
        guard let first = all.first, !alternates.isEmpty else { return nil }
        return USBPrinterInterface(number: Int(first.bInterfaceNumber), alternates: alternates)
    }

    /// Nil where nothing can be sent. The first endpoint of each direction counts, as in CUPS.
    private static func alternate(_ raw: libusb_interface_descriptor) -> USBAlternate? {
        let endpoints = UnsafeBufferPointer(start: raw.endpoint, count: Int(raw.bNumEndpoints))
        let bulk = endpoints.filter { $0.bmAttributes & 3 == LIBUSB_TRANSFER_TYPE_BULK.rawValue }
            // Bits 0 to 10 (USB 2.0 §9.6.6). A packet of nothing would never end a transfer.
            .map { USBEndpoint(address: $0.bEndpointAddress, packet: Int($0.wMaxPacketSize & 0x7FF)) }
            .filter { $0.packet > 0 }
        guard let out = bulk.first(where: { $0.address & 0x80 == 0 }) else { return nil }
        return USBAlternate(
            number: Int(raw.bAlternateSetting), class: raw.bInterfaceClass, subclass: raw.bInterfaceSubClass,
            protocol: raw.bInterfaceProtocol, out: out, in: bulk.first { $0.address & 0x80 != 0 })
    }
}
