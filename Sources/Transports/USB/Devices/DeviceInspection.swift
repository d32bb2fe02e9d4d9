import KioskAsyncPrimitives
import KioskDevicePrinting

/// The identifying strings that a device returned when it was queried. They never change while it is plugged in.
struct DeviceInspection: Hashable, Sendable {
    var manufacturer: String?
    var productName: String?
    var identity: DeviceIdentity?
    /// The device ids by interface number.
    var deviceIDs: [Int: DeviceID] = [:]
    var isAccessible = true
    /// Whether the device responded to every query; otherwise it is queried again later.
    var isComplete = true
    /// When it was made, and how often the device was queried until then.
    private var time: ElapsedClock.Instant?
    private var attempts = 1

    /// Whether it is still valid. A complete one stays valid until the device is removed. A device that does not
    /// respond is queried again, but not in every scan of the bus; access may be granted at any time.
    func isCurrent(at now: ElapsedClock.Instant) -> Bool {
        isComplete || isAccessible && (time.map { $0.duration(to: now) < Self.retryInterval } ?? false)
    }

    /// Whether to query the device again later even if nothing changes on the bus, up to a limit.
    var needsRetry: Bool { !isComplete && isAccessible && attempts < Self.maximumAttempts }

    /// The timeout of a query. The owner of a connection uses the same one: otherwise a string that only one of them
    /// gets in time would be queried for ever.
    static let timeout = Duration.seconds(1)
    /// The time between two attempts.
    static let retryInterval = Duration.seconds(30)
    private static let maximumAttempts = 10

    /// This inspection with its time, and the number of attempts.
    func made(at now: ElapsedClock.Instant, after former: DeviceInspection?) -> DeviceInspection {
        var all = self
        (all.time, all.attempts) = (now, (former?.attempts ?? 0) + 1)
        return all
    }

    /// Opens a device briefly and queries it, without a claim, so that its user is not disturbed (the kernel lets every
    /// process request a printer's id). Nil where the device was removed.
    static func of(_ device: DeviceReference, _ descriptors: DeviceDescriptors) async -> DeviceInspection? {
        let opened = await WorkerThread.run("usb-call") { () -> Result<DeviceHandle, LibUSBFailure> in
            do throws(LibUSBFailure) {
                return .success(try DeviceHandle(device))
            } catch {
                return .failure(error)
            }
        }
        switch opened {
        case .success(let handle)?:
            var query = DeviceQuery(handle)
            let found = await query.run(descriptors)
            await handle.close(releasing: nil)
            // The kernel read the strings when the device was plugged in.
            return found.map { $0.isComplete ? $0 : $0.completed(by: USBSysfs.system.strings(of: device.port)) }
        case .failure(let failure)? where failure.code == .noDevice: return nil
        case .failure(let failure)?:
            var found = USBSysfs.system.strings(of: device.port)
            found.isAccessible = failure.code != .accessDenied
            return found
        case nil: return USBSysfs.system.strings(of: device.port)
        }
    }
}

extension DeviceInspection {
    fileprivate func completed(by other: DeviceInspection) -> DeviceInspection {
        var all = self
        all.manufacturer = manufacturer ?? other.manufacturer
        all.productName = productName ?? other.productName
        all.identity = identity ?? other.identity
        return all
    }
}

/// The queries to one device. They stop at a device that does not respond.
private struct DeviceQuery {
    private let handle: DeviceHandle
    private var failures = 0
    private var isDisconnected = false

    init(_ handle: DeviceHandle) { self.handle = handle }

    /// How many queries may get no response.
    private static let maximumFailures = 2
    /// How many interfaces are queried; real devices have at most five.
    private static let maximumInterfaces = 8

    mutating func run(_ descriptors: DeviceDescriptors) async -> DeviceInspection? {
        var found = DeviceInspection()
        let languages = await response(.string(0, language: 0)).map(Self.content) ?? []
        // US English where the device lists no language.
        let language = languages.count >= 2 ? UInt16(languages[0]) | UInt16(languages[1]) << 8 : 0x0409
        found.manufacturer = await text(descriptors.manufacturerString, language)
        found.productName = await text(descriptors.productString, language)
        let serial = await content(descriptors.serialString, language)
        found.identity = serial.flatMap { DeviceIdentity(serialDescriptor: $0) }
        for interface in descriptors.interfaces.prefix(Self.maximumInterfaces) {
            guard let alternate = interface.deviceIDAlternate else { continue }
            let request = ControlRequest.deviceID(
                configuration: descriptors.configuration, interface: interface.number, alternate: alternate.number)
            found.deviceIDs[interface.number] = await response(request).flatMap { DeviceID(reply: $0) }
        }
        found.isComplete = failures == 0
        return isDisconnected ? nil : found
    }

    /// Nil where there is no response: a device stalls requests that it does not support.
    private mutating func response(_ request: ControlRequest) async -> [UInt8]? {
        guard !isDisconnected, failures < Self.maximumFailures else { return nil }
        do throws(LibUSBFailure) {
            return try await handle.make(request, timeout: DeviceInspection.timeout)
        } catch {
            if error.code == .noDevice { isDisconnected = true }
            if error.code != .stalled { failures += 1 }
            return nil
        }
    }

    private mutating func content(_ number: UInt8, _ language: UInt16) async -> [UInt8]? {
        number == 0 ? nil : await response(.string(number, language: language)).map(Self.content)
    }

    private mutating func text(_ number: UInt8, _ language: UInt16) async -> String? {
        guard let bytes = await content(number, language) else { return nil }
        let units = stride(from: 0, to: bytes.count - 1, by: 2).map { UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8 }
        let text = String(decoding: units.prefix { $0 != 0 }, as: UTF16.self)
        return text.isEmpty ? nil : text
    }

    /// The content of a string descriptor, behind its length and type (USB 2.0 §9.6.7).
    private static func content(of descriptor: [UInt8]) -> [UInt8] {
        guard descriptor.count > 2, descriptor[1] == 3 else { return [] }
        return Array(descriptor.prefix(Int(descriptor[0])).dropFirst(2))
    }
}
