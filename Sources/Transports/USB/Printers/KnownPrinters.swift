import DeviceStatus
import PrintModel
import Synchronization

/// What the printers of this run have shown of how they confirm jobs: kept while they are unplugged, closed or forgotten.
final class KnownPrinters: Sendable {
    /// A printer, as far as it can be told from others: by its serial number, else by where it is plugged in.
    struct Key: Hashable, Sendable {
        private let model: USBModel
        private let identity: DeviceIdentity

        init(_ printer: USBPrinter) {
            model = USBModel(vendor: printer.vendor, product: printer.product)
            identity = printer.identity ?? .port(path: printer.port.description, serial: nil)
        }
    }

    private let memories = Mutex<[(key: Key, memory: CompletionMemory)]>([])

    /// More than hang on one bus; the one that was not used for longest goes first.
    static let most = 127

    subscript(key: Key) -> CompletionMemory? { memories.withLock { $0.last { $0.key == key }?.memory } }

    func note(_ memory: CompletionMemory, of key: Key) {
        memories.withLock { memories in
            memories.removeAll { $0.key == key }
            memories.append((key, memory))
            if memories.count > Self.most { memories.removeFirst() }
        }
    }
}
