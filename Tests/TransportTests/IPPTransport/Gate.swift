import Glibc
import Synchronization
import TestSupport

/// Something that happens once, between a test and a script's thread.
final class Gate: Sendable {
    private let isOpened = Atomic(false)

    func open() { isOpened.store(true, ordering: .releasing) }

    /// Blocks: for scripts, which have threads of their own.
    func block() {
        while !isOpened.load(ordering: .acquiring) { usleep(500) }
    }

    func wait() async throws {
        try await eventually("the gate to open", poll: .milliseconds(1)) { isOpened.load(ordering: .acquiring) }
    }
}
