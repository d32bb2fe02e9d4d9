import Synchronization

/// How the printers of this run have confirmed jobs, and the recovery that each needs before its next job. Kept while
/// they are unplugged, closed or forgotten.
package final class KnownPrinters<Key: Hashable & Sendable>: Sendable {
    private typealias Known = (key: Key, memory: CompletionMemory, recovery: PendingRecovery)
    private let printers = Mutex<[Known]>([])

    /// More than one USB bus can have; the least recently used one is dropped first.
    private let capacity: Int

    package init(capacity: Int = 127) { self.capacity = capacity }

    package subscript(key: Key) -> CompletionMemory? { printers.withLock { $0.last { $0.key == key }?.memory } }

    /// Takes the pending recovery of a printer, for a conversation that will do it.
    package func takeRecovery(of key: Key) -> PendingRecovery {
        printers.withLock { printers in
            guard let index = printers.lastIndex(where: { $0.key == key }) else { return .none }
            defer { printers[index].recovery = .none }
            return printers[index].recovery
        }
    }

    /// Records a printer. A recovery that is already pending stays pending.
    package func note(_ memory: CompletionMemory, recovery: PendingRecovery = .none, of key: Key) {
        printers.withLock { printers in
            var pending = printers.last { $0.key == key }?.recovery ?? .none
            pending.add(recovery)
            printers.removeAll { $0.key == key }
            printers.append((key, memory, pending))
            if printers.count > capacity { printers.removeFirst() }
        }
    }

    /// Ends a conversation, and records what it knows of its printer.
    package func end(_ conversation: DeviceConversation, of key: Key) async {
        await conversation.end(isReported: false)
        let recovery = await conversation.remainingRecovery()
        var memory = await conversation.memory
        // One that is merely opened again is still the printer that did not respond.
        if await !conversation.isRetired { memory.allowAnotherTry() }
        note(memory, recovery: recovery, of: key)
    }
}
