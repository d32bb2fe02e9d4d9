import CKioskLibUSB
import KioskPrintModel

/// The descriptors of a printer, which the kernel read when it was plugged in; reading them sends nothing to the
/// device.
struct DeviceDescriptors: Hashable, Sendable {
    var model: USBModel
    /// Numbers of its string descriptors; 0 where there is none.
    var manufacturerString: UInt8
    var productString: UInt8
    var serialString: UInt8
    /// The index of its active configuration, from 0.
    var configuration: Int
    /// The value of its active configuration.
    var configurationValue: UInt8
    /// The interfaces that can drive a printer.
    var interfaces: [USBPrinterInterface]

    /// Nil where the device is not a printer. `vendorPrinters` are printers with a vendor-specific class.
    init?(_ device: DeviceReference, vendorPrinters: Set<USBModel>) {
        var descriptor = libusb_device_descriptor()
        var found: UnsafeMutablePointer<libusb_config_descriptor>?
        guard libusb_get_device_descriptor(device.pointer, &descriptor) == 0,
            libusb_get_active_config_descriptor(device.pointer, &found) == 0, let found
        else { return nil }
        defer { libusb_free_config_descriptor(found) }
        model = USBModel(vendor: descriptor.idVendor, product: descriptor.idProduct)
        (manufacturerString, productString, serialString) = (
            descriptor.iManufacturer, descriptor.iProduct, descriptor.iSerialNumber
        )
        configurationValue = found.pointee.bConfigurationValue
        configuration = Self.index(of: configurationValue, in: device, count: descriptor.bNumConfigurations)
        let acceptsVendorClass = vendorPrinters.contains(model)
        let all = UnsafeBufferPointer(start: found.pointee.interface, count: Int(found.pointee.bNumInterfaces))
        interfaces = all.compactMap { Self.interface($0, acceptsVendorClass: acceptsVendorClass) }
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

    private static func interface(_ raw: libusb_interface, acceptsVendorClass: Bool) -> USBPrinterInterface? {
        let all = UnsafeBufferPointer(start: raw.altsetting, count: max(0, Int(raw.num_altsetting)))
        let alternates = all.compactMap(alternate).filter {
            $0.kind != nil && ($0.kind != .vendor || acceptsVendorClass)
        }
        guard let first = all.first, !alternates.isEmpty else { return nil }
        return USBPrinterInterface(number: Int(first.bInterfaceNumber), alternates: alternates)
    }

    /// Nil where there is no endpoint to send to. The first endpoint of each direction counts, as in CUPS.
    private static func alternate(_ raw: libusb_interface_descriptor) -> USBAlternate? {
        let endpoints = UnsafeBufferPointer(start: raw.endpoint, count: Int(raw.bNumEndpoints))
        let bulk = endpoints.filter { $0.bmAttributes & 3 == LIBUSB_TRANSFER_TYPE_BULK.rawValue }
            // Bits 0 to 10 (USB 2.0 §9.6.6). Empty packets would never complete a transfer.
            .map { USBEndpoint(address: $0.bEndpointAddress, packet: Int($0.wMaxPacketSize & 0x7FF)) }
            .filter { $0.packet > 0 }
        guard let out = bulk.first(where: { $0.address & 0x80 == 0 }) else { return nil }
        return USBAlternate(
            number: Int(raw.bAlternateSetting), class: raw.bInterfaceClass, subclass: raw.bInterfaceSubClass,
            protocol: raw.bInterfaceProtocol, out: out, in: bulk.first { $0.address & 0x80 != 0 })
    }
}
