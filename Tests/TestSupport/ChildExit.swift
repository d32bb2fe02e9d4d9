import Foundation
import Synchronization

/// Reaps one child on a thread of its own, and sends signals only while its id is certainly still its own.
final class ChildExit: Sendable {
    private let state = Mutex<ChildProcess.End?>(nil)

    var end: ChildProcess.End? { state.withLock { $0 } }

    func watch(_ processID: Int32) {
        Thread.detachNewThread { [self] in
            var info = siginfo_t()
            // WNOWAIT leaves the zombie, so that its id cannot be given away before the lock is held.
            while waitid(P_PID, id_t(processID), &info, WEXITED | WNOWAIT) == -1, errno == EINTR {}
            state.withLock { end in
                var status: Int32 = 0
                while waitpid(processID, &status, 0) == -1, errno == EINTR {}
                let signal = status & 0x7F
                end = signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
            }
        }
    }

    func signal(_ number: Int32, to processID: Int32) {
        state.withLock { end in
            // The child leads a process group of its own: what it started goes with it.
            if end == nil { _ = kill(-processID, number) }
        }
    }
}
