import DevicePrinting
package import PrintModel

/// The USB bus of this machine: finds printers, opens them, and says when one comes or goes.
///
/// libusb is started with the first call, and again with the next one when that failed. `shutDown` closes what is open;
/// until then the bus keeps itself and a thread.
package actor USBBus {
    /// Printers whose class is the vendor's own.
    let vendorPrinters: Set<USBModel>
    let clock: ElapsedClock
    private var starting: Task<Result<Started, USBOpenError>, Never>?
    private var watching: Task<Void, Never>?
    var isShutDown = false

    /// What the devices that are plugged in have said of themselves.
    var inspections: [DeviceReference: DeviceInspection] = [:]
    /// The look that is under way, and who waits for it or for the next.
    var looking: Task<Void, Never>?
    var waiters = LookWaiters()

    /// Interfaces that are ours, or are being made so or given back.
    var claims: Set<DeviceClaim> = []
    var connections: [DeviceClaim: USBConnection] = [:]
    var whenUnclaimed: CheckedContinuation<Void, Never>?

    // Of `changes`.
    var listeners: [Int: AsyncStream<USBBusChange>.Continuation] = [:]
    var nextListener = 0
    var announced: [DeviceReference: USBPrinter] = [:]
    var settling = Settling()
    var settlingTask: Task<Void, Never>?
    /// Looks once more, without a change.
    var laterLook: Task<Void, Never>?

    /// `clock` tells how fast printers take what they are sent, and when one that did not answer is asked again.
    package init(vendorPrinters: Set<USBModel> = [], clock: any Clock<Duration> = ContinuousClock()) {
        self.vendorPrinters = vendorPrinters
        self.clock = ElapsedClock(clock)
    }

    /// Changes are heard.
    var isWatching: Bool { watching != nil }

    /// An interface of a device.
    struct DeviceClaim: Hashable, Sendable {
        var device: DeviceReference
        var interface: Int
    }

    private struct Started {
        var context: USBContext
        var hotplug: Hotplug?
    }

    func context() async throws(USBOpenError) -> USBContext {
        guard !isShutDown else { throw .shutDown }
        let attempt = starting ?? Task { await Self.start() }
        starting = attempt
        let result = await attempt.value
        guard !isShutDown else { throw .shutDown }
        switch result {
        case .success(let started):
            if watching == nil { watching = Task { await self.watch(started.hotplug) } }
            return started.context
        case .failure(let error):
            if starting == attempt { starting = nil }
            throw error
        }
    }

    private static func start() async -> Result<Started, USBOpenError> {
        let started = await OwnThread.run { () -> Result<Started, USBOpenError> in
            do throws(USBOpenError) {
                let context = try USBContext.start()
                return .success(Started(context: context, hotplug: Hotplug(context)))
            } catch {
                return .failure(error)
            }
        }
        return started ?? .failure(.noThread)
    }

    /// Closes every connection, and gives everything back. Nothing works afterwards.
    package func shutDown() async {
        guard !isShutDown else { return }
        isShutDown = true
        settlingTask?.cancel()
        laterLook?.cancel()
        looking?.cancel()
        // Each closes by itself; who waits for them is patient, but not for ever.
        for connection in connections.values { Task { await connection.close() } }
        let isAllGivenBack = await allClaimsEnd()
        await looking?.value
        await settlingTask?.value
        await laterLook?.value
        for listener in listeners.values { listener.finish() }
        (listeners, announced, inspections) = ([:], [:], [:])
        // What the kernel does not let go of must not end with the memory that it writes to.
        guard isAllGivenBack, case .success(let started)? = await starting?.value else { return }
        if await OwnThread.run({ started.context.stop() }) == nil { started.context.stop() }
        started.hotplug?.stop()
        watching?.cancel()
        await watching?.value
        starting = nil
    }

    /// Waits until every interface was given back; false when one is not for a long time.
    private func allClaimsEnd() async -> Bool {
        guard !claims.isEmpty else { return true }
        let limit = Task {
            try await Task.sleep(for: Self.patience)
            self.stopWaiting()
        }
        await withCheckedContinuation { whenUnclaimed = $0 }
        limit.cancel()
        return claims.isEmpty
    }

    private func stopWaiting() { whenUnclaimed.take()?.resume() }

    /// For the kernel to open or to close a device.
    private static let patience = Duration.seconds(10)
}

extension USBOpenError {
    static let shutDown = USBOpenError(.unavailable, operation: "libusb_init", reason: "the USB bus was shut down")
}
