import KioskPrintModel

/// The devices that are plugged in, by the lists of the kernel and of one or more libusb contexts.
///
/// Without messages, a context lists the devices that were there when it was started: devices that came later are
/// missing, and those that went stay. A device that several contexts list belongs to the first that listed it, so that
/// what is known of it, and who has it open, stays with it.
struct AttachedDevices<Device: Hashable & Sendable>: Sendable {
    typealias Listed = (device: Device, address: BusAddress)

    private var devices: [BusAddress: Device] = [:]
    /// Devices that a context still lists although the kernel does not. Another one may get the number later.
    private var gone: Set<Device> = []
    /// How often a fresh context did not list a device that the kernel lists.
    private var attempts: [BusAddress: Int] = [:]

    /// How often libusb is started again for a device that it never lists.
    private static var maximumAttempts: Int { 3 }

    /// Determines what is plugged in. `listed` is in the order of the contexts, oldest first; `kernel` was read after
    /// it, and is nil where the kernel's list cannot be read.
    mutating func update(_ listed: [Listed], kernel: Set<BusAddress>?) -> Set<Device> {
        let all = Set(listed.map(\.device))
        gone.formIntersection(all)
        if let kernel { gone.formUnion(listed.filter { !kernel.contains($0.address) }.map(\.device)) }
        devices = devices.filter { all.contains($0.value) && !gone.contains($0.value) }
        for (device, address) in listed where devices[address] == nil && !gone.contains(device) {
            devices[address] = device
        }
        if let kernel { attempts = attempts.filter { kernel.contains($0.key) } }
        return Set(devices.values)
    }

    func contains(_ device: Device) -> Bool { devices.values.contains(device) }

    /// Whether the kernel lists a device that only a fresh context can know. Counts the attempt.
    mutating func needsFreshContext(kernel: Set<BusAddress>?) -> Bool {
        let missing = (kernel ?? []).filter { devices[$0] == nil && attempts[$0, default: 0] < Self.maximumAttempts }
        for address in missing { attempts[address, default: 0] += 1 }
        return !missing.isEmpty
    }
}
