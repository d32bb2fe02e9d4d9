/// A printer was plugged in or removed.
package enum USBBusChange: Hashable, Sendable {
    case appeared(USBPrinter)
    /// The printer as it was before its removal.
    case left(USBPrinter)
}

/// The subscribers to the changes of a bus, and the printers that were announced to them.
struct ChangeSubscribers {
    private var continuations: [Int: AsyncStream<USBBusChange>.Continuation] = [:]
    private var lastNumber = 0
    private var announced: [DeviceReference: USBPrinter] = [:]

    var isEmpty: Bool { continuations.isEmpty }

    /// Adds a subscriber, and returns its number. The first one knows the printers that are present.
    mutating func add(
        _ continuation: AsyncStream<USBBusChange>.Continuation, present: [FoundPrinter]
    ) -> Int {
        if isEmpty { announced = Self.byDevice(present) }
        lastNumber += 1
        continuations[lastNumber] = continuation
        return lastNumber
    }

    mutating func remove(_ number: Int) { continuations[number] = nil }

    /// The announced devices that are no longer present.
    func removedDevices(present: [FoundPrinter]) -> [DeviceReference] {
        let present = Self.byDevice(present)
        return announced.keys.filter { present[$0] == nil }
    }

    /// Tells the subscribers what has changed.
    mutating func publishChanges(present: [FoundPrinter]) {
        let known = announced
        announced = Self.byDevice(present)
        for (device, printer) in known where announced[device] == nil { publish(.left(printer)) }
        for found in present where known[found.device].map({ !$0.hasSameNames(as: found.printer) }) ?? true {
            publish(.appeared(found.printer))
        }
    }

    mutating func finish() {
        for continuation in continuations.values { continuation.finish() }
        (continuations, announced) = ([:], [:])
    }

    private func publish(_ change: USBBusChange) {
        for continuation in continuations.values { continuation.yield(change) }
    }

    private static func byDevice(_ printers: [FoundPrinter]) -> [DeviceReference: USBPrinter] {
        Dictionary(printers.map { ($0.device, $0.printer) }) { first, _ in first }
    }
}

extension USBPrinter {
    /// Ignores the URL, to which the port may be added or not as other printers come and go.
    fileprivate func hasSameNames(as other: USBPrinter) -> Bool { names == other.names && deviceID == other.deviceID }
}

/// Determines when a bus on which devices come and go is quiet enough for a scan.
struct BusDebounce: Sendable {
    private var first: ContinuousClock.Instant?
    private var last: ContinuousClock.Instant?

    /// A loose plug, or a printer that starts twice, causes several changes; udev needs a moment to set a node's
    /// permissions.
    static let quiet = Duration.milliseconds(100)
    /// The longest delay on a bus that never becomes quiet.
    static let maximumDelay = Duration.seconds(1)

    mutating func changed(at now: ContinuousClock.Instant) {
        last = now
        first = first ?? now
    }

    /// When to scan; nil while nothing has changed.
    var due: ContinuousClock.Instant? {
        guard let first, let last else { return nil }
        return min(last + Self.quiet, first + Self.maximumDelay)
    }

    /// Notes that a scan starts: later changes require another one.
    mutating func scanStarts() { (first, last) = (nil, nil) }
}
