import KioskAsyncPrimitives
package import KioskDevicePrinting
import KioskDurableFiles
package import KioskPrintModel
package import Logging

/// The USB bus of this machine: finds printers, opens them, and reports when one is plugged in or removed.
///
/// The first call starts libusb; the next call tries again where that failed. `shutDown` closes every connection; until
/// then the bus keeps itself and a thread alive.
package actor USBBus {
    /// Models of printers with a vendor-specific class.
    private let vendorPrinters: Set<USBModel>
    private let clock: ElapsedClock
    private let sysfs = USBSysfs.system
    private let logger: Logger
    /// Nil keeps no record.
    private let detachedDrivers: DetachedDrivers?
    private var starting: Task<USBOpenError?, Never>?
    private var contexts = BusContexts()
    private var monitoring: [Task<Void, Never>] = []
    private var isShutDown = false

    private var watch = HotplugWatch(told: [])
    private var watching: Task<Void, Never>?
    /// How often devices came or went. What was found before a change may be outdated.
    package private(set) var changeCount = 0

    /// The responses of the devices that are plugged in.
    private var inspections: [DeviceReference: DeviceInspection] = [:]
    private var scanning: Task<Void, Never>?
    private var waiters = ScanWaiters()

    private var claims = InterfaceClaims()
    private var whenUnclaimed: CheckedContinuation<Void, Never>?

    private var subscribers = ChangeSubscribers()
    private var debounce = BusDebounce()
    private var debouncing: Task<Void, Never>?
    /// Scans again later, without a change.
    private var laterScan: Task<Void, Never>?

    /// `clock` measures how fast printers take data, when to query again one that did not respond, and when to look at
    /// the kernel's list of devices.
    package init(
        vendorPrinters: Set<USBModel> = [], clock: any Clock<Duration> = ContinuousClock(),
        detachedDrivers: DetachedDrivers? = nil, logger: Logger = Logger(label: "usb")
    ) {
        self.vendorPrinters = vendorPrinters
        self.clock = ElapsedClock(clock)
        self.detachedDrivers = detachedDrivers
        self.logger = logger
    }

    /// Whether devices come and go without messages, so that this looks for them itself.
    package var isSilent: Bool { watch.isSilent }

    // MARK: Start and end

    /// Starts libusb unless it runs.
    private func start() async throws(USBOpenError) {
        guard !isShutDown else { throw .shutDown }
        let attempt = starting ?? Task { await self.startFirst() }
        starting = attempt
        let error = await attempt.value
        guard !isShutDown else { throw .shutDown }
        guard let error else { return }
        if starting == attempt { starting = nil }
        throw error
    }

    private func startFirst() async -> USBOpenError? {
        do throws(USBOpenError) {
            // Before libusb looks: it knows what came later by a message, or lists it already.
            let before = await WorkerThread.run("usb-call") { [sysfs] in sysfs.addresses() } ?? nil
            let started = try await startContext()
            let listed = try await list().entries.map(\.address)
            watch = HotplugWatch(told: (before ?? []).union(listed), hasMessages: started.hotplug != nil)
            watching = Task { await self.watchKernel(hasMessages: started.hotplug != nil) }
            return nil
        } catch {
            return error
        }
    }

    /// Starts a context, and follows its events.
    @discardableResult
    private func startContext() async throws(USBOpenError) -> BusContexts.Started {
        let started = await WorkerThread.run("usb-call") { () -> Result<BusContexts.Started, USBOpenError> in
            do throws(USBOpenError) {
                return .success(try BusContexts.Started())
            } catch {
                return .failure(error)
            }
        }
        guard let started else { throw .noThread }
        let context = try started.get()
        contexts.add(context)
        if let hotplug = context.hotplug { monitoring.append(Task { await self.monitor(hotplug) }) }
        return context
    }

    private func stop(_ started: BusContexts.Started) async {
        if await WorkerThread.run("usb-call", { started.stop() }) == nil { started.stop() }
    }

    /// Closes every connection, and frees everything. The bus cannot be used afterwards.
    package func shutDown() async {
        guard !isShutDown else { return }
        isShutDown = true
        debouncing?.cancel()
        laterScan?.cancel()
        scanning?.cancel()
        // Each closes independently; the wait for all of them has a limit.
        for connection in claims.connections { Task { await connection.close() } }
        let isAllReleased = await allClaimsEnd()
        await scanning?.value
        await debouncing?.value
        await laterScan?.value
        _ = await starting?.value
        watching?.cancel()
        await watching?.value
        subscribers.finish()
        inspections = [:]
        // The kernel must not write to freed memory: libusb is kept where the kernel did not release everything.
        guard isAllReleased else { return }
        for started in contexts.all { await stop(started) }
        for monitor in monitoring { await monitor.value }
        (contexts, starting) = (BusContexts(), nil)
    }

    /// Waits until every interface is released; false where one is not released for a long time.
    private func allClaimsEnd() async -> Bool {
        guard !claims.isEmpty else { return true }
        let limit = Task {
            try await Task.sleep(for: Self.closeTimeout)
            self.stopWaitingForClaims()
        }
        await withCheckedContinuation { whenUnclaimed = $0 }
        limit.cancel()
        return claims.isEmpty
    }

    private func stopWaitingForClaims() { whenUnclaimed.take()?.resume() }

    /// The time that the kernel may need to open or close a device.
    private static let closeTimeout = Duration.seconds(10)

    // MARK: Scans

    /// The printers that are plugged in, sorted by port. Each is queried once while it is plugged in.
    package func printers() async throws(USBOpenError) -> [USBPrinter] { try await scan().map(\.printer) }

    /// The result of a scan that starts after this call. Ends soon when the task is cancelled.
    private func scan() async throws(USBOpenError) -> [FoundPrinter] {
        let number = waiters.newNumber()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: ScanWaiters.Waiter) in
                guard !Task.isCancelled else { return continuation.resume(returning: .failure(.cancelled)) }
                waiters.add(continuation, number)
                if scanning == nil { scanning = Task { await self.scanWhileWanted() } }
            }
        } onCancel: {
            Task { await self.stopWaiting(number) }
        }
        return try result.get()
    }

    /// Queries a printer again at the next scan, once none of its interfaces is open here.
    func requery(_ printer: USBPrinter) {
        inspections = inspections.filter { device, _ in device.port != printer.port }
    }

    private func stopWaiting(_ number: Int) { waiters.remove(number)?.resume(returning: .failure(.cancelled)) }

    private func scanWhileWanted() async {
        while waiters.scanStarts() {
            do throws(USBOpenError) {
                waiters.scanEnded(.success(try await scanOnce()))
            } catch {
                waiters.scanEnded(.failure(error))
            }
        }
        scanning = nil
    }

    private func scanOnce() async throws(USBOpenError) -> [FoundPrinter] {
        try await start()
        let present = try await presentPrinters()
        inspections = inspections.filter { device, _ in present.contains { $0.0 == device } }
        // A device that is open here is not disturbed.
        let known = inspections.filter { device, inspection in
            inspection.isCurrent(at: clock.now) || claims.contains(device)
        }
        let fresh = await withTaskGroup(of: (DeviceReference, DeviceInspection?).self) { group in
            for (device, descriptors) in present where known[device] == nil {
                group.addTask { (device, await DeviceInspection.of(device, descriptors)) }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        var all = known
        for (device, inspection) in fresh {
            all[device] = inspection.made(at: clock.now, after: inspections[device])
            inspections[device] = all[device]
        }
        let devices = present.compactMap { device, descriptors in
            all[device].map { (device, printer(device, descriptors, $0)) }
        }
        var printers = devices.map(\.1)
        printers.distinguishByPort()
        let found = zip(devices, printers).map { device, printer in
            let needsRetry = !claims.contains(device.0) && all[device.0]?.needsRetry == true
            return FoundPrinter(device: device.0, printer: printer, needsRetry: needsRetry)
        }
        return found.sorted { $0.printer.port < $1.printer.port }
    }

    /// The printers in the lists of kernel and libusb. Starts another context for a device of which libusb did not hear.
    private func presentPrinters() async throws(USBOpenError) -> [(
        device: DeviceReference, descriptors: DeviceDescriptors
    )] {
        var listing = try await list()
        var present = contexts.printers(in: listing)
        if contexts.needsFreshContext(for: listing) {
            try await startContext()
            listing = try await list()
            present = contexts.printers(in: listing)
        }
        if let kernel = listing.kernel { noteSilence { $0.scanned(kernel, at: clock.now) } }
        let used = listing.entries.map(\.device).filter(contexts.isAttached) + claims.devices
        for unused in contexts.takeUnused(keeping: used) { await stop(unused) }
        return present
    }

    private func list() async throws(USBOpenError) -> BusContexts.Listing {
        let listing = await WorkerThread.run("usb-call") {
            [contexts = contexts.all.map(\.context), sysfs, vendorPrinters] in
            Result { () throws(USBOpenError) in
                try BusContexts.list(contexts, sysfs, vendorPrinters: vendorPrinters)
            }
        }
        guard let listing else { throw .noThread }
        return try listing.get()
    }

    private func printer(
        _ device: DeviceReference, _ descriptors: DeviceDescriptors, _ inspection: DeviceInspection
    ) -> USBPrinter {
        USBPrinter(device, descriptors, inspection) { interface in
            claims.contains(InterfaceClaims.Claim(device: device, interface: interface))
        }
    }

    // MARK: Connections

    /// Opens the printer that a URL names, and claims one of its interfaces until the connection is closed. A kernel
    /// driver is detached until then.
    ///
    /// `settings` are those of the printer's profile.
    package func open(
        _ url: PrinterURL, for use: USBPrinter.Use = .raw, settings: USBSettings = USBSettings(),
        trace: DeviceTrace = DeviceTrace()
    ) async throws(USBOpenError) -> USBConnection {
        try await open(url, for: use, trace: trace) { _ in settings }
    }

    /// Opens the printer that a URL names, with settings that depend on the printer found.
    package func open(
        _ url: PrinterURL, for use: USBPrinter.Use, trace: DeviceTrace = DeviceTrace(),
        settings: (USBPrinter) -> USBSettings
    ) async throws(USBOpenError) -> USBConnection {
        let all = try await scan()
        let printer = try USBPrinter.find(url, among: all.map(\.printer))
        trace.tell("found \(printer.summary)")
        guard let device = all.first(where: { $0.printer.port == printer.port })?.device else { throw .disconnected }
        guard printer.isAccessible else { throw printer.accessDenied(operation: "libusb_open") }
        let choices = printer.choices(for: use, interface: url.usbInterface)
        guard let first = choices.first else {
            throw USBOpenError(.unsuitable, operation: "find", reason: "it has no interface for this use")
        }
        // The first one that is free.
        let choice =
            choices.first {
                !claims.contains(InterfaceClaims.Claim(device: device, interface: $0.interface.number))
            } ?? first
        return try await open(device, printer, choice, for: use, settings(printer), trace)
    }

    private func open(
        _ device: DeviceReference, _ printer: USBPrinter, _ choice: USBPrinter.Choice, for use: USBPrinter.Use,
        _ settings: USBSettings, _ trace: DeviceTrace
    ) async throws(USBOpenError) -> USBConnection {
        guard !isShutDown else { throw .shutDown }
        let claim = InterfaceClaims.Claim(device: device, interface: choice.interface.number)
        guard claims.insert(claim) else {
            throw USBOpenError(
                .alreadyOpen, operation: "libusb_claim_interface", reason: "this program has it open already")
        }
        let (interface, alternate) = (choice.interface.number, choice.alternate.number)
        var detached: DetachedDrivers.Entry?
        if case .kernel(let driver)? = choice.interface.owner, settings.reattach {
            let entry = DetachedDrivers.Entry(printer, interface: interface, driver: driver)
            await note(entry) { await $0.add(entry) }
            detached = entry
        }
        let opened = await WorkerThread.run("usb-call") {
            DeviceHandle.open(device, claiming: interface, alternate: alternate)
        }
        switch opened {
        case .success(let handle)?:
            trace.tell("claimed interface \(interface), alternate setting \(alternate)")
            let connection = USBConnection(
                handle, to: printer, interface: interface, alternate: choice.alternate, use: use, settings: settings,
                clock: clock, trace: trace
            ) { [weak self, detached] in await self?.closed(claim, givingBackTo: detached) }
            // A shutdown meanwhile did not see this connection, and a cancelled caller does not want it.
            guard !isShutDown, !Task.isCancelled else {
                await connection.close()
                throw isShutDown ? .shutDown : .cancelled
            }
            claims.opened(connection, for: claim)
            return connection
        case .failure(let failure)?:
            await closed(claim, givingBackTo: detached)
            throw printer.openError(failure, choice.interface)
        case nil:
            await closed(claim, givingBackTo: detached)
            throw .noThread
        }
    }

    private func closed(_ claim: InterfaceClaims.Claim, givingBackTo detached: DetachedDrivers.Entry?) async {
        if let detached { await note(detached) { await $0.remove(detached) } }
        claims.remove(claim)
        if claims.isEmpty { stopWaitingForClaims() }
    }

    /// Gives interfaces back to the kernel drivers from which an earlier process took them, and was killed. Only those
    /// that nobody has, of printers that have been plugged in ever since. Call it before printers are opened.
    package func giveBackDrivers() async {
        guard let detachedDrivers else { return }
        do {
            let entries = try await detachedDrivers.abandoned().get()
            guard !entries.isEmpty else { return }
            let found = try await scan()
            for entry in entries {
                if let printer = found.first(where: { entry.isAbandoned(by: $0.printer) }) {
                    await giveBack(entry, of: printer.device)
                }
                await note(entry) { await $0.remove(entry) }
            }
        } catch {
            logger.warning("printers are not given back to the kernel's drivers: \(error)")
        }
    }

    private func giveBack(_ entry: DetachedDrivers.Entry, of device: DeviceReference) async {
        let failure = await WorkerThread.run("usb-call") {
            DeviceHandle.attachDriver(of: device, to: entry.interface)
        }
        if let failure = failure ?? LibUSBFailure("pthread_create", .noMemory) {
            logger.warning(
                "the kernel driver \(entry.driver) does not get the printer at port \(entry.port) back: \(failure.operation): \(failure.code.message)"
            )
        } else {
            logger.notice(
                "the kernel driver \(entry.driver) has the printer at port \(entry.port) back; an earlier run was killed while it used it"
            )
        }
    }

    /// Changes the record. Printing does not depend on it.
    private func note(
        _ entry: DetachedDrivers.Entry, _ change: (DetachedDrivers) async -> FileError?
    ) async {
        guard let detachedDrivers, let error = await change(detachedDrivers) else { return }
        logger.warning("the record of detached kernel drivers is not written: \(error.message)")
    }

    // MARK: Changes

    /// The printers that are plugged in and removed from now on, without those that are present. Ends with `shutDown`.
    ///
    /// Changes are reported when the bus has been quiet for a moment (`BusDebounce`). A printer that came and went
    /// meanwhile is not reported; one that went and came back has left and appeared. One that returns its names only
    /// later appears again then.
    package func changes() async -> AsyncStream<USBBusChange> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: USBBusChange.self, bufferingPolicy: .bufferingNewest(Self.backlog))
        guard !isShutDown else {
            continuation.finish()
            return stream
        }
        let present = try? await scan()
        let number = subscribers.add(continuation, present: present ?? [])
        continuation.onTermination = { [weak self] _ in Task { await self?.unsubscribe(number) } }
        // A printer that was plugged in during the scan was not reported to anyone.
        scanSoon()
        return stream
    }

    /// The number of changes that are kept for a slow subscriber; the oldest are dropped.
    private static let backlog = 256

    private func unsubscribe(_ number: Int) { subscribers.remove(number) }

    /// Receives hotplug events until their context ends.
    private func monitor(_ hotplug: HotplugMonitor) async {
        for await event in hotplug.events {
            changeCount += 1
            switch event {
            case .arrived(let device): noteSilence { $0.arrived(device) }
            case .left(let device):
                watch.left(device.busAddress)
                removed(device)
            }
            scanSoon()
        }
    }

    /// Looks at the kernel's list of devices, seldom while messages arrive.
    private func watchKernel(hasMessages: Bool) async {
        while (try? await clock.sleep(for: watch.pause)) != nil {
            let kernel = await WorkerThread.run("usb-look") { [sysfs] in sysfs.addresses() } ?? nil
            let hasChanged = kernel.map { kernel in noteSilence { $0.looked(kernel, at: clock.now) } }
            // Without both lists and messages, every scan may find something.
            guard hasChanged ?? !hasMessages else { continue }
            changeCount += 1
            scanSoon()
        }
    }

    /// Logs whether messages arrive where that changes.
    @discardableResult
    private func noteSilence<Value>(_ update: (inout HotplugWatch) -> Value) -> Value {
        let wasSilent = watch.isSilent
        defer {
            if watch.isSilent != wasSilent {
                logger.notice(
                    watch.isSilent
                        ? "no messages about USB devices arrive here (from udevd); the bus is looked at every 2 seconds"
                        : "messages about USB devices arrive")
            }
        }
        return update(&watch)
    }

    /// The time until a failed scan is repeated.
    private static let retryInterval = Duration.seconds(3)

    private func removed(_ device: DeviceReference) {
        inspections[device] = nil
        for connection in claims.connections(to: device) { connection.deviceDisconnected() }
    }

    private func scanSoon() {
        debounce.changed(at: .now)
        guard debouncing == nil, !isShutDown else { return }
        debouncing = Task { await self.reportWhenQuiet() }
    }

    private func reportWhenQuiet() async {
        while let due = debounce.due, !Task.isCancelled {
            if due > .now {
                try? await Task.sleep(until: due, clock: .continuous)
            } else {
                await reportChanges()
            }
        }
        debouncing = nil
    }

    /// Scans the bus, and reports what has changed.
    private func reportChanges() async {
        debounce.scanStarts()
        guard !subscribers.isEmpty else { return }
        guard let present = try? await scan() else {
            // Memory may be short: the changes are still to be reported. Before the first scan there are none.
            if starting != nil { scanLater(Self.retryInterval) }
            return
        }
        for device in subscribers.removedDevices(present: present) { removed(device) }
        subscribers.publishChanges(present: present)
        if present.contains(where: \.needsRetry) { scanLater(DeviceInspection.retryInterval) }
    }

    private func scanLater(_ delay: Duration) {
        laterScan?.cancel()
        guard !isShutDown else { return }
        laterScan = Task { [clock] in
            guard (try? await clock.sleep(for: delay)) != nil else { return }
            self.scanSoon()
        }
    }
}
