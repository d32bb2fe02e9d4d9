extension USBBus {
    /// Printers that come and go from now on; nothing is told of those that are there. Ends with `shutDown`.
    ///
    /// Told when the bus has been quiet for a moment (`Settling`): a printer that came and went meanwhile is not
    /// mentioned, and one that went and came back has left and appeared. One that says only later who it is appears
    /// then once more.
    package func changes() async -> AsyncStream<USBBusChange> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: USBBusChange.self, bufferingPolicy: .bufferingNewest(Self.backlog))
        guard !isShutDown else {
            continuation.finish()
            return stream
        }
        let there = try? await found()
        // Whoever is there now is known and not news.
        if listeners.isEmpty {
            announced = Dictionary((there ?? []).map { ($0.device, $0.printer) }) { first, _ in first }
        }
        nextListener += 1
        let listener = nextListener
        listeners[listener] = continuation
        continuation.onTermination = { [weak self] _ in Task { await self?.leave(listener) } }
        // What came while it was looked at had no listener to be told to.
        lookSoon()
        return stream
    }

    /// Of each listener; one that does not listen loses the oldest.
    private static let backlog = 256

    private func leave(_ listener: Int) { listeners[listener] = nil }

    /// Hears hotplug events until the context ends; without them, looks itself every now and then.
    func watch(_ hotplug: Hotplug?) async {
        guard let hotplug else {
            while !Task.isCancelled {
                try? await Task.sleep(for: Self.interval)
                if !listeners.isEmpty || !connections.isEmpty { await settle() }
            }
            return
        }
        for await event in hotplug.events {
            if case .left(let device) = event { left(device) }
            lookSoon()
        }
    }

    /// A list of devices costs the kernel little, and nothing is asked of the devices themselves.
    private static let interval = Duration.seconds(3)

    private func left(_ device: DeviceReference) {
        inspections[device] = nil
        for (claim, connection) in connections where claim.device == device { connection.deviceLeft() }
    }

    private func lookSoon() {
        settling.changed(at: .now)
        guard settlingTask == nil, !isShutDown else { return }
        settlingTask = Task { await self.settleWhenQuiet() }
    }

    private func settleWhenQuiet() async {
        while let due = settling.due, !Task.isCancelled {
            if due > .now {
                try? await Task.sleep(until: due, clock: .continuous)
            } else {
                await settle()
            }
        }
        settlingTask = nil
    }

    /// Looks at the bus and tells what is new.
    private func settle() async {
        settling.settled()
        guard !listeners.isEmpty else { return }
        guard let there = try? await found() else {
            // For want of memory, it may be: what has changed is still to be told. Before the first look nothing has.
            if isWatching { lookLater(Self.interval) }
            return
        }
        let known = announced
        let now = Dictionary(there.map { ($0.device, $0.printer) }) { first, _ in first }
        announced = now
        for (device, printer) in known where now[device] == nil {
            left(device)
            tell(.left(printer))
        }
        for found in there where known[found.device].map({ !$0.saysTheSame(as: found.printer) }) ?? true {
            tell(.appeared(found.printer))
        }
        if there.contains(where: \.isToBeContinued) { lookLater(DeviceInspection.pause) }
    }

    private func lookLater(_ pause: Duration) {
        laterLook?.cancel()
        guard !isShutDown else { return }
        laterLook = Task { [clock] in
            guard (try? await clock.sleep(for: pause)) != nil else { return }
            self.lookSoon()
        }
    }

    private func tell(_ change: USBBusChange) {
        for listener in listeners.values { listener.yield(change) }
    }
}

extension USBPrinter {
    /// Where it is plugged in may belong to its URL or not, as other printers come and go.
    fileprivate func saysTheSame(as other: USBPrinter) -> Bool { names == other.names && deviceID == other.deviceID }
}
