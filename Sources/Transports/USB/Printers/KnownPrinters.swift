import DevicePrinting
import PrintModel
import Synchronization

/// How the printers of this run have confirmed jobs, and the recovery that each needs before its next job. Kept while
/// they are unplugged, closed or forgotten.
final class KnownPrinters: Sendable {
    /// The identity of a printer: its serial number, else the port where it is plugged in.
    struct Key: Hashable, Sendable {
        private let model: USBModel
        private let identity: DeviceIdentity

        init(_ printer: USBPrinter) {
            model = USBModel(vendor: printer.vendor, product: printer.product)
            identity = printer.identity ?? .port(path: printer.port.description, serial: nil)
        }
    }

    private typealias Known = (key: Key, memory: CompletionMemory, recovery: PendingRecovery)
    private let printers = Mutex<[Known]>([])

    /// More than one bus can have; the least recently used one is dropped first.
    static let capacity = 127

    subscript(key: Key) -> CompletionMemory? { printers.withLock { $0.last { $0.key == key }?.memory } }

    /// Takes the pending recovery of a printer, for a conversation that will do it.
    func takeRecovery(of key: Key) -> PendingRecovery {
        printers.withLock { printers in
            guard let index = printers.lastIndex(where: { $0.key == key }) else { return .none }
            defer { printers[index].recovery = .none }
            return printers[index].recovery
        }
    }

    /// Records a printer. A recovery that is already pending stays pending.
    func note(_ memory: CompletionMemory, recovery: PendingRecovery = .none, of key: Key) {
        printers.withLock { printers in
            var pending = printers.last { $0.key == key }?.recovery ?? .none
            pending.add(recovery)
            printers.removeAll { $0.key == key }
            printers.append((key, memory, pending))
            if printers.count > Self.capacity { printers.removeFirst() }
        }
    }
}
