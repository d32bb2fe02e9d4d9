import Foundation
import Synchronization

/// What came out of one pipe so far, up to a limit; read on a thread of its own so that the writer never blocks.
final class ChildOutput: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var isComplete = false
    }
    private let state = Mutex(State())

    init(descriptor: Int32, limit: Int) {
        Thread.detachNewThread { [weak self] in
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0, let self else { break }
                state.withLock { $0.bytes.append(contentsOf: buffer[..<min(count, max(0, limit - $0.bytes.count))]) }
            }
            self?.state.withLock { $0.isComplete = true }
            close(descriptor)
        }
    }

    var bytes: [UInt8] { state.withLock { $0.bytes } }
    var text: String { String(decoding: bytes, as: UTF8.self) }
    var isComplete: Bool { state.withLock { $0.isComplete } }
}
