import KioskAsyncPrimitives

/// Determines whether messages about devices arrive, by comparison with the kernel's own list.
///
/// libusb learns only from udevd's messages what is plugged in. In a network namespace of its own, in most containers
/// and without udevd none arrive, and libusb does not notice it: LIBUSB_CAP_HAS_HOTPLUG says how it was built.
struct HotplugWatch: Sendable {
    /// Whether the kernel lists changes of which no message has told.
    private(set) var isSilent: Bool
    /// Whether a message has ever arrived.
    private var hasHeard = false
    /// The devices of which libusb knows by its start and by messages.
    private var told: Set<BusAddress>
    /// The devices that came or went without a message, and when that was first seen.
    private var untold: [BusAddress: ElapsedClock.Instant] = [:]
    /// What the kernel listed last.
    private var seen: Set<BusAddress>
    /// Whether the last look found a change. The kernel lists a device before it has read all of its descriptors.
    private var isSettling = false

    /// The time that a message may take: udevd runs its rules first.
    static let grace = Duration.seconds(4)
    /// The time between two looks while no messages arrive.
    static let silentInterval = Duration.seconds(2)
    /// The time between two looks until the first message.
    static let firstInterval = Duration.seconds(10)
    /// The time between two looks after that: udevd may end.
    static let interval = Duration.seconds(60)

    /// `told` are the devices that libusb found at its start; `hasMessages` is false where it can receive none.
    init(told: Set<BusAddress>, hasMessages: Bool = true) {
        (self.told, seen, isSilent) = (told, told, !hasMessages)
    }

    /// The time until the next look.
    var pause: Duration {
        if isSilent || isSettling || !untold.isEmpty { return Self.silentInterval }
        return hasHeard ? Self.interval : Self.firstInterval
    }

    /// Notes a message about a device that was plugged in.
    mutating func arrived(_ device: BusAddress) {
        told.insert(device)
        untold[device] = nil
        (hasHeard, isSilent) = (true, false)
    }

    /// Notes that libusb reports a device as gone. It does so without a message, too, where the device was open.
    mutating func left(_ device: BusAddress) {
        told.remove(device)
        untold[device] = nil
    }

    /// Handles what the kernel lists now. True where the bus is to be scanned.
    mutating func looked(_ kernel: Set<BusAddress>, at now: ElapsedClock.Instant) -> Bool {
        note(kernel, at: now)
        let hasChanged = kernel != seen
        defer { (seen, isSettling) = (kernel, hasChanged) }
        return hasChanged || isSettling
    }

    /// Handles what the kernel lists during a scan.
    mutating func scanned(_ kernel: Set<BusAddress>, at now: ElapsedClock.Instant) {
        note(kernel, at: now)
        seen = kernel
    }

    private mutating func note(_ kernel: Set<BusAddress>, at now: ElapsedClock.Instant) {
        let difference = told.symmetricDifference(kernel)
        untold = Dictionary(uniqueKeysWithValues: difference.map { ($0, untold[$0] ?? now) })
        if untold.values.contains(where: { $0.duration(to: now) >= Self.grace }) { isSilent = true }
        guard isSilent else { return }
        (told, untold) = (kernel, [:])
    }
}
