import DevicePrinting
import PrintModel
import Synchronization

/// What the printers of this run have shown of how they confirm jobs, and what they are owed since the last: kept while
/// they are unplugged, closed or forgotten.
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

    private typealias Known = (key: Key, memory: CompletionMemory, debt: DeviceConversation.Debt)
    private let memories = Mutex<[Known]>([])

    /// More than hang on one bus; the one that was not used for longest goes first.
    static let most = 127

    subscript(key: Key) -> CompletionMemory? { memories.withLock { $0.last { $0.key == key }?.memory } }

    /// Who takes it over pays it.
    func takeDebt(of key: Key) -> DeviceConversation.Debt {
        memories.withLock { memories in
            guard let index = memories.lastIndex(where: { $0.key == key }) else { return .none }
            defer { memories[index].debt = .none }
            return memories[index].debt
        }
    }

    /// What is owed already stays so.
    func note(_ memory: CompletionMemory, debt: DeviceConversation.Debt = .none, of key: Key) {
        memories.withLock { memories in
            var owed = memories.last { $0.key == key }?.debt ?? .none
            owed.grow(to: debt)
            memories.removeAll { $0.key == key }
            memories.append((key, memory, owed))
            if memories.count > Self.most { memories.removeFirst() }
        }
    }
}
