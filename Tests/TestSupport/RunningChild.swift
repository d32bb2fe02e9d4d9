import Synchronization

/// The child that is running now, where a peer can be stopped and started again.
package final class RunningChild: Sendable {
    private let state = Mutex<ChildProcess?>(nil)

    var child: ChildProcess? {
        get { state.withLock { $0 } }
        set {
            // The old one is let go outside the lock: its deinit takes a lock of its own.
            let old = state.withLock { child in
                let old = child
                child = newValue
                return old
            }
            _ = old
        }
    }
}
