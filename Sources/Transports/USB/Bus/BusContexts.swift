import CKioskLibUSB
import KioskAsyncPrimitives
import KioskPrintModel

/// The libusb contexts of a bus, and the devices in them.
///
/// There is one context, as long as libusb hears of every device. A device of which it did not hear is found by
/// starting another one; the former ends as soon as none of its devices is plugged in or open.
struct BusContexts: Sendable {
    /// A context with its hotplug events; they are nil where libusb has none.
    struct Started: Sendable {
        let context: USBContext
        let hotplug: HotplugMonitor?

        /// Starts libusb; blocks while it enumerates the bus.
        init() throws(USBOpenError) {
            context = try USBContext.start()
            hotplug = HotplugMonitor(context)
        }

        /// Ends the events; blocks. Nothing may be under way.
        func stop() {
            context.stop()
            hotplug?.stop()
        }
    }

    /// A device in libusb's list. The descriptors are nil where it is not a printer.
    struct Entry: Sendable {
        var device: DeviceReference
        var address: BusAddress
        var descriptors: DeviceDescriptors?
    }

    /// What the contexts and then the kernel list.
    struct Listing: Sendable {
        var entries: [Entry]
        /// Nil where the kernel's list cannot be read.
        var kernel: Set<BusAddress>?
    }

    /// The contexts, oldest first.
    private(set) var all: [Started] = []
    private var attached = AttachedDevices<DeviceReference>()

    mutating func add(_ started: Started) { all.append(started) }

    /// Lists all devices; blocks. Sends nothing to them.
    static func list(
        _ contexts: [USBContext], _ sysfs: USBSysfs, vendorPrinters: Set<USBModel>
    ) throws(USBOpenError) -> Listing {
        var entries: [Entry] = []
        for context in contexts { entries += try list(context, vendorPrinters) }
        return Listing(entries: entries, kernel: sysfs.addresses())
    }

    private static func list(_ context: USBContext, _ vendorPrinters: Set<USBModel>) throws(USBOpenError) -> [Entry] {
        var list: UnsafeMutablePointer<OpaquePointer?>?
        let count = libusb_get_device_list(context.pointer, &list)
        guard count >= 0, let list else {
            let code = LibUSBCode(Int32(clamping: count))
            throw USBOpenError(.failed, operation: "libusb_get_device_list", code: code.value, reason: code.message)
        }
        defer { libusb_free_device_list(list, 1) }
        return UnsafeBufferPointer(start: list, count: count).compactMap { pointer in
            guard let pointer else { return nil }
            let device = DeviceReference(pointer, in: context)
            return Entry(
                device: device, address: device.busAddress,
                descriptors: DeviceDescriptors(device, vendorPrinters: vendorPrinters))
        }
    }

    /// The printers that are plugged in.
    mutating func printers(in listing: Listing) -> [(device: DeviceReference, descriptors: DeviceDescriptors)] {
        let present = attached.update(listing.entries.map { ($0.device, $0.address) }, kernel: listing.kernel)
        return listing.entries.compactMap { entry in
            guard present.contains(entry.device), let descriptors = entry.descriptors else { return nil }
            return (entry.device, descriptors)
        }
    }

    /// Whether a device in a listing is plugged in, as far as the last call of `printers` showed.
    func isAttached(_ device: DeviceReference) -> Bool { attached.contains(device) }

    /// Whether the kernel lists a device that only a fresh context can know. Counts the attempt.
    mutating func needsFreshContext(for listing: Listing) -> Bool {
        attached.needsFreshContext(kernel: listing.kernel)
    }

    /// Removes the contexts that nothing needs any more; the caller stops them.
    mutating func takeUnused(keeping used: [DeviceReference]) -> [Started] {
        guard let newest = all.last, all.count > 1 else { return [] }
        let kept = Set(used.map { ObjectIdentifier($0.context) } + [ObjectIdentifier(newest.context)])
        defer { all.removeAll { !kept.contains(ObjectIdentifier($0.context)) } }
        return all.filter { !kept.contains(ObjectIdentifier($0.context)) }
    }
}
