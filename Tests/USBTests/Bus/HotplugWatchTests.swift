import KioskAsyncPrimitives
import Testing

@testable import KioskUSB

@Suite("Whether messages about USB devices arrive")
struct HotplugWatchTests {
    private let hub = BusAddress(bus: 1, device: 1)
    private let printer = BusAddress(bus: 1, device: 5)
    private let other = BusAddress(bus: 1, device: 6)

    private func time(_ duration: Duration) -> ElapsedClock.Instant { .init(offset: duration) }

    @Test func `nothing is concluded, and nothing is scanned, while nothing changes`() {
        let watch = Watch(told: [hub])
        for second in 0..<100 { #expect(!watch.looked([hub], at: time(.seconds(second)))) }
        #expect(!watch.isSilent)
        #expect(watch.pause == HotplugWatch.firstInterval)
    }

    @Test func `a message before or soon after the kernel's word shows that they do, and looks become rare`() {
        let watch = Watch(told: [hub])
        watch.arrived(printer)
        #expect(watch.looked([hub, printer], at: time(.zero)))
        // It is scanned once more, when the kernel has read all of it.
        #expect(watch.looked([hub, printer], at: time(.seconds(2))))
        #expect(!watch.looked([hub, printer], at: time(.seconds(4))))
        #expect(watch.looked([hub, printer, other], at: time(.seconds(6))))
        watch.arrived(other)
        #expect(watch.looked([hub, printer, other], at: time(.seconds(8))))
        #expect(!watch.looked([hub, printer, other], at: time(.seconds(100))))
        #expect(!watch.isSilent)
        #expect(watch.pause == HotplugWatch.interval)
    }

    @Test func `a device that is plugged in without one is scanned at once, and shows after a while that they do not`()
    {
        let watch = Watch(told: [hub])
        #expect(watch.looked([hub, printer], at: time(.zero)))
        #expect(!watch.isSilent)
        #expect(watch.pause == HotplugWatch.silentInterval)
        #expect(watch.looked([hub, printer], at: time(.seconds(2))))
        #expect(!watch.isSilent)
        #expect(!watch.looked([hub, printer], at: time(.seconds(4))))
        #expect(watch.isSilent)
        #expect(watch.pause == HotplugWatch.silentInterval)
        // From here on each change counts at once.
        #expect(watch.looked([hub], at: time(.seconds(6))))
        #expect(watch.looked([hub, other], at: time(.seconds(8))))
    }

    @Test func `a device that goes without one shows it as well`() {
        let watch = Watch(told: [hub, printer])
        #expect(watch.looked([hub], at: time(.zero)))
        _ = watch.looked([hub], at: time(HotplugWatch.grace))
        #expect(watch.isSilent)
    }

    @Test func `one that libusb itself reports as gone shows nothing`() {
        let watch = Watch(told: [hub, printer])
        watch.left(printer)
        _ = watch.looked([hub], at: time(.zero))
        _ = watch.looked([hub], at: time(.seconds(60)))
        #expect(!watch.isSilent)
    }

    @Test func `the next message ends it`() {
        let watch = Watch(told: [hub])
        watch.scanned([hub, printer], at: time(.zero))
        watch.scanned([hub, printer], at: time(HotplugWatch.grace))
        #expect(watch.isSilent)
        watch.arrived(other)
        #expect(!watch.isSilent)
        #expect(!watch.looked([hub, printer], at: time(.seconds(20))))
        #expect(watch.pause == HotplugWatch.silentInterval)
        watch.left(other)
        _ = watch.looked([hub, printer], at: time(.seconds(22)))
        #expect(watch.pause == HotplugWatch.interval)
    }

    @Test func `a scan that has seen a change leaves none for the next look`() {
        let watch = Watch(told: [hub])
        watch.arrived(printer)
        watch.scanned([hub, printer], at: time(.zero))
        #expect(!watch.looked([hub, printer], at: time(.seconds(1))))
    }

    @Test func `where libusb can receive none, it is looked at from the start`() {
        let watch = Watch(told: [hub], hasMessages: false)
        #expect(watch.isSilent)
        #expect(watch.pause == HotplugWatch.silentInterval)
    }
}

@Suite("The devices in the lists of several libusb contexts")
struct AttachedDevicesTests {
    private let first = BusAddress(bus: 1, device: 2)
    private let second = BusAddress(bus: 1, device: 3)

    @Test func `one that the kernel lists alone takes a fresh context, three times at most`() {
        let devices = Devices()
        #expect(devices.update([("a", first)], kernel: [first]) == ["a"])
        #expect(!devices.needsFreshContext(kernel: [first]))
        for _ in 0..<3 { #expect(devices.needsFreshContext(kernel: [first, second])) }
        #expect(!devices.needsFreshContext(kernel: [first, second]))
        // Plugged in anew, it is another one.
        _ = devices.update([("a", first)], kernel: [first])
        #expect(devices.needsFreshContext(kernel: [first, second]))
    }

    @Test func `one that several list is that of the first`() {
        let devices = Devices()
        _ = devices.update([("a", first)], kernel: [first])
        #expect(devices.update([("a", first), ("A", first), ("B", second)], kernel: [first, second]) == ["a", "B"])
        // An older context hears of it as well.
        #expect(
            devices.update([("a", first), ("b", second), ("A", first), ("B", second)], kernel: [first, second])
                == ["a", "B"])
        #expect(devices.contains("B") && !devices.contains("b"))
    }

    @Test func `one that went is gone although a context lists it, also when another gets its number`() {
        let devices = Devices()
        _ = devices.update([("a", first), ("b", second)], kernel: [first, second])
        #expect(devices.update([("a", first), ("b", second)], kernel: [first]) == ["a"])
        #expect(devices.update([("a", first), ("b", second)], kernel: [first, second]) == ["a"])
        #expect(devices.needsFreshContext(kernel: [first, second]))
        #expect(
            devices.update([("a", first), ("b", second), ("new", second)], kernel: [first, second]) == ["a", "new"])
    }

    @Test func `without the kernel's list libusb's counts`() {
        let devices = Devices()
        #expect(devices.update([("a", first), ("b", second)], kernel: nil) == ["a", "b"])
        #expect(devices.update([("b", second)], kernel: nil) == ["b"])
        #expect(!devices.needsFreshContext(kernel: nil))
    }
}

// `#expect` calls no mutating methods.

private final class Watch {
    private var watch: HotplugWatch

    init(told: Set<BusAddress>, hasMessages: Bool = true) { watch = HotplugWatch(told: told, hasMessages: hasMessages) }

    var isSilent: Bool { watch.isSilent }
    var pause: Duration { watch.pause }
    func arrived(_ device: BusAddress) { watch.arrived(device) }
    func left(_ device: BusAddress) { watch.left(device) }
    func looked(_ kernel: Set<BusAddress>, at now: ElapsedClock.Instant) -> Bool { watch.looked(kernel, at: now) }
    func scanned(_ kernel: Set<BusAddress>, at now: ElapsedClock.Instant) { watch.scanned(kernel, at: now) }
}

private final class Devices {
    private var devices = AttachedDevices<String>()

    func update(_ listed: [(String, BusAddress)], kernel: Set<BusAddress>?) -> Set<String> {
        devices.update(listed.map { (device: $0, address: $1) }, kernel: kernel)
    }
    func needsFreshContext(kernel: Set<BusAddress>?) -> Bool { devices.needsFreshContext(kernel: kernel) }
    func contains(_ device: String) -> Bool { devices.contains(device) }
}
