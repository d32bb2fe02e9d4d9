import KioskDevicePrinting
import KioskPrintModel

/// A printer that a scan of the bus has found, with its device.
struct FoundPrinter: Sendable {
    var device: DeviceReference
    var printer: USBPrinter
    /// Whether it did not respond to every query, and may do so later.
    var needsRetry: Bool
}

extension USBPrinter {
    /// `isOwn` says whether this process has claimed an interface.
    init(
        _ device: DeviceReference, _ descriptors: DeviceDescriptors, _ inspection: DeviceInspection,
        isOwn: (Int) -> Bool
    ) {
        let port = device.port
        let interfaces = descriptors.interfaces.map { interface in
            var interface = interface
            interface.deviceID = inspection.deviceIDs[interface.number]
            if isOwn(interface.number) {
                interface.owner = .thisProcess
            } else {
                let driver = USBSysfs.system.driver(
                    of: port, configuration: descriptors.configurationValue, interface: interface.number)
                interface.owner = driver.map { $0 == "usbfs" ? USBPrinterInterface.Owner.program : .kernel($0) }
            }
            return interface
        }
        self.init(
            vendor: descriptors.model.vendor, product: descriptors.model.product, port: port, address: device.address,
            manufacturer: inspection.manufacturer, productName: inspection.productName, identity: inspection.identity,
            interfaces: interfaces, isAccessible: inspection.isAccessible)
        switch inspection.identity {
        case nil: warning = .noSerialNumber
        case .malformedSerial?: warning = .malformedSerialNumber
        case .serial?, .port?: break
        }
    }
}

/// The callers that wait for a scan of the bus. A scan under way may have missed a device that was just plugged in: a
/// caller that arrives meanwhile gets the next one.
struct ScanWaiters {
    typealias Waiter = CheckedContinuation<Result<[FoundPrinter], USBOpenError>, Never>

    private var current: [Int: Waiter] = [:]
    private var next: [Int: Waiter] = [:]
    private var lastNumber = 0

    mutating func newNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    mutating func add(_ waiter: Waiter, _ number: Int) { next[number] = waiter }

    /// Nil where it no longer waits.
    mutating func remove(_ number: Int) -> Waiter? {
        current.removeValue(forKey: number) ?? next.removeValue(forKey: number)
    }

    /// Notes that a scan starts; false where nobody waits for it.
    mutating func scanStarts() -> Bool {
        (current, next) = (next, [:])
        return !current.isEmpty
    }

    mutating func scanEnded(_ result: Result<[FoundPrinter], USBOpenError>) {
        for waiter in current.values { waiter.resume(returning: result) }
        current = [:]
    }
}

/// The interfaces that this process owns, or is claiming or releasing.
struct InterfaceClaims {
    struct Claim: Hashable, Sendable {
        var device: DeviceReference
        var interface: Int
    }

    private var claims: Set<Claim> = []
    private var openConnections: [Claim: USBConnection] = [:]

    var isEmpty: Bool { claims.isEmpty }
    var connections: [USBConnection] { Array(openConnections.values) }

    var devices: [DeviceReference] { claims.map(\.device) }

    func contains(_ claim: Claim) -> Bool { claims.contains(claim) }
    func contains(_ device: DeviceReference) -> Bool { claims.contains { $0.device == device } }
    func connections(to device: DeviceReference) -> [USBConnection] {
        openConnections.filter { $0.key.device == device }.map(\.value)
    }

    /// False where the interface is claimed already.
    mutating func insert(_ claim: Claim) -> Bool { claims.insert(claim).inserted }
    mutating func opened(_ connection: USBConnection, for claim: Claim) {
        openConnections[claim] = connection
    }

    mutating func remove(_ claim: Claim) {
        openConnections[claim] = nil
        claims.remove(claim)
    }
}
