import CKioskLinux
import Dispatch
import Glibc
import Synchronization

/// A bounded queue of log lines, written to standard error by a thread of its own. Callers never wait for the log's
/// reader: lines that find no room are dropped and counted. Entries for the journal go to its socket instead.
final class LogQueue: Sendable {
    private let descriptor: CInt
    /// Nil where lines go to the descriptor.
    private let journal: JournalSocket?
    /// Makes the line that counts dropped lines.
    private let notice: @Sendable (Int) -> String
    private let state = Mutex(State())
    /// A serial queue gets a thread beyond the pool's ("overcommit"), so a write that blocks takes none from others.
    private let queue = DispatchQueue(label: "log")

    private struct State {
        var lines: [String] = []
        var length = 0
        var dropped = 0
        var isDraining = false
    }

    /// The queue's size in bytes, some thousands of lines: enough while the log's reader restarts.
    private static let maximumLength = 512 * 1024

    /// With `journal`, each line is an entry for it, and only what it does not take goes to the descriptor.
    init(_ descriptor: CInt, journal: JournalSocket? = nil, notice: @escaping @Sendable (Int) -> String) {
        self.descriptor = descriptor
        self.journal = journal
        self.notice = notice
        Self.neverBlock(descriptor)
    }

    /// Takes a line, which ends in a newline, or an entry, and returns at once.
    func append(_ line: String) {
        let mustStart = state.withLock { state in
            if state.length + line.utf8.count <= Self.maximumLength {
                state.lines.append(line)
                state.length += line.utf8.count
            } else {
                state.dropped += 1
            }
            defer { state.isDraining = true }
            return !state.isDraining
        }
        if mustStart { queue.async { [self] in drain() } }
    }

    /// Returns once all that was taken is written, or after this time.
    func flush(atMost seconds: Double = 0.5) {
        let done = DispatchSemaphore(value: 0)
        queue.async { done.signal() }
        _ = done.wait(timeout: .now() + seconds)
    }

    private func drain() {
        while let lines = next() {
            guard let journal else {
                write(lines.joined())
                continue
            }
            for entry in lines where !journal.send(entry) { write(JournalEntry.line(of: entry)) }
        }
    }

    /// All lines in the queue, with a line that counts those dropped; nil where there is nothing.
    private func next() -> [String]? {
        state.withLock { state in
            guard !state.lines.isEmpty || state.dropped > 0 else {
                state.isDraining = false
                return nil
            }
            let lines = state.lines + (state.dropped > 0 ? [notice(state.dropped)] : [])
            state = State(isDraining: true)
            return lines
        }
    }

    /// Writes and waits for room, on this thread alone. A log that nobody can read any more is not a reason to fail.
    private func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            // Up to a pipe's PIPE_BUF a write is whole or not at all, and mixes with nobody else's.
            let piece = rest.prefix(Int(PIPE_BUF))
            let end = piece.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? piece.endIndex
            let count = rest[..<end].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var writable = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&writable, 1, -1)
            } else if errno != EINTR {
                return
            }
        }
    }

    /// Makes the descriptor non-blocking. Libraries and child processes write to standard error directly, on threads
    /// that must not block either; what they write is lost where nobody reads. A pipe is opened anew, since the flag
    /// would also hold for other processes that share it; the journal's socket is ours alone. Terminals and files stay
    /// as they are.
    private static func neverBlock(_ descriptor: CInt) {
        var file = clinux_file()
        guard clinux_fstat(descriptor, &file) == 0 else { return }
        switch file.mode & S_IFMT {
        case S_IFIFO:
            let opened = open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_CLOEXEC)
            guard opened >= 0 else { return }
            dup2(opened, descriptor)
            close(opened)
        case S_IFSOCK:
            let flags = fcntl(descriptor, F_GETFL)
            if flags >= 0 { _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) }
        default:
            return
        }
    }
}
