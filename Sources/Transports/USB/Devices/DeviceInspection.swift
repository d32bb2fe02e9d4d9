import DevicePrinting

/// What a device answers when it is asked who it is. It never changes while it is plugged in.
struct DeviceInspection: Hashable, Sendable {
    var manufacturer: String?
    var productName: String?
    var identity: DeviceIdentity?
    /// By the interface's number.
    var deviceIDs: [Int: DeviceID] = [:]
    var isAccessible = true
    /// Whether it has answered all that it was asked; else it is worth another try, later.
    var isComplete = true
    /// When it was made, and how often the device was asked until then.
    private var made: ElapsedClock.Instant?
    private var attempts = 1

    /// Whether it holds until the device goes, or at least as yet. A device that does not answer is asked again, but
    /// does not hold up every look at the bus; rights may be given at any time.
    func isCurrent(at now: ElapsedClock.Instant) -> Bool {
        isComplete || isAccessible && (made.map { $0.duration(to: now) < Self.pause } ?? false)
    }

    /// Whether the device should be looked at again by and by, although nothing changes on the bus: not without end.
    var isToBeContinued: Bool { !isComplete && isAccessible && attempts < Self.mostAttempts }

    /// How long an answer is waited for, by the owner as well: what only one of them gets would be asked for without
    /// end.
    static let patience = Duration.seconds(1)
    /// Between two attempts.
    static let pause = Duration.seconds(30)
    private static let mostAttempts = 10

    func made(at now: ElapsedClock.Instant, after former: DeviceInspection?) -> DeviceInspection {
        var all = self
        (all.made, all.attempts) = (now, (former?.attempts ?? 0) + 1)
        return all
    }

    /// Opens a device for a moment and asks; it is not claimed, so that who works with it is not disturbed (the kernel
    /// lets everyone ask for a printer's id). Nil when the device has gone.
    static func of(_ device: DeviceReference, _ look: DeviceLook) async -> DeviceInspection? {
        let opened = await OwnThread.run { () -> Result<DeviceHandle, LibUSBFailure> in
            do throws(LibUSBFailure) {
                return .success(try DeviceHandle(device))
            } catch {
                return .failure(error)
            }
        }
        switch opened {
        case .success(let handle)?:
            var inquiry = DeviceInquiry(handle)
            let found = await inquiry.ask(look)
            await handle.close(releasing: nil)
            // The kernel asked for the texts when it was plugged in.
            return found.map { $0.isComplete ? $0 : $0.completed(by: SystemFiles.texts(of: device.port)) }
        case .failure(let failure)? where failure.code == .noDevice: return nil
        case .failure(let failure)?:
            var found = SystemFiles.texts(of: device.port)
            found.isAccessible = failure.code != .accessDenied
            return found
        case nil: return SystemFiles.texts(of: device.port)
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

/// The questions to one device. A device that leaves questions unanswered is not asked for ever.
private struct DeviceInquiry {
    private let handle: DeviceHandle
    private var failures = 0
    private var isGone = false

    init(_ handle: DeviceHandle) { self.handle = handle }

    /// Questions that may fail without an answer.
    private static let mostFailures = 2
    /// Interfaces that are asked; none of the field has more than five.
    private static let mostInterfaces = 8

    mutating func ask(_ look: DeviceLook) async -> DeviceInspection? {
        var found = DeviceInspection()
        let languages = await answer(.string(0, language: 0)).map(Self.content) ?? []
        // US English where it names none.
        let language = languages.count >= 2 ? UInt16(languages[0]) | UInt16(languages[1]) << 8 : 0x0409
        found.manufacturer = await text(look.manufacturerText, language)
        found.productName = await text(look.productText, language)
        found.identity = await content(look.serialText, language).flatMap { DeviceIdentity(serialDescriptor: $0) }
        for interface in look.interfaces.prefix(Self.mostInterfaces) {
            guard let alternate = interface.askedAlternate else { continue }
            let request = ControlRequest.deviceID(
                configuration: look.configuration, interface: interface.number, alternate: alternate.number)
            found.deviceIDs[interface.number] = await answer(request).flatMap { DeviceID(reply: $0) }
        }
        found.isComplete = failures == 0
        return isGone ? nil : found
    }

    /// Nil where there is none: a device stalls what it does not know.
    private mutating func answer(_ request: ControlRequest) async -> [UInt8]? {
        guard !isGone, failures < Self.mostFailures else { return nil }
        do throws(LibUSBFailure) {
            return try await handle.make(request, patience: DeviceInspection.patience)
        } catch {
            if error.code == .noDevice { isGone = true }
            if error.code != .stalled { failures += 1 }
            return nil
        }
    }

    private mutating func content(_ number: UInt8, _ language: UInt16) async -> [UInt8]? {
        number == 0 ? nil : await answer(.string(number, language: language)).map(Self.content)
    }

    private mutating func text(_ number: UInt8, _ language: UInt16) async -> String? {
        guard let bytes = await content(number, language) else { return nil }
        let units = stride(from: 0, to: bytes.count - 1, by: 2).map { UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8 }
        let text = String(decoding: units.prefix { $0 != 0 }, as: UTF16.self)
        return text.isEmpty ? nil : text
    }

    /// Of a string descriptor, behind its length and type (USB 2.0 §9.6.7).
    private static func content(of descriptor: [UInt8]) -> [UInt8] {
        guard descriptor.count > 2, descriptor[1] == 3 else { return [] }
        return Array(descriptor.prefix(Int(descriptor[0])).dropFirst(2))
    }
}
