import Dispatch
package import KioskPrintModel
package import Logging
import Synchronization

/// The audit: every change, login and denial, in two files that are only appended to, and in the daemon's log. Whatever
/// was denied, which anybody on the network may cause, is in a file of its own (`denied.jsonl` in the state directory),
/// so that it never takes the place of what was done (`audit.jsonl`). Their entries are numbered together.
///
/// Noting returns at once. A thread of its own writes, in order, and makes what waits durable together.
package final class AuditLog: Sendable {
    private let logger: Logger
    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "audit")
    private let done: AuditFile
    private let denied: AuditFile

    private struct State {
        var waiting: [AuditEntry] = []
        /// Entries that found no room.
        var dropped = 0
        var isDraining = false
        var denials = DenialLimit()
        var lastNumber: UInt64
        /// Why the last entries of a file were not written, by its path.
        var failures: [String: AccessError] = [:]
        /// When it was last said in the log that the files cannot be written.
        var complainedAt: Timestamp?
    }

    /// The files' names in the state directory.
    package static let fileName = "audit.jsonl"
    package static let deniedFileName = "denied.jsonl"
    /// The most entries that wait for the disk.
    private static let maximumWaiting = 1024
    /// The most entries of one page.
    package static let maximumPage = 1000

    /// Opens the files, and makes them where there are none. What cannot be used is moved aside. Blocks.
    package init(
        stateDirectory: String, logger: Logger, at now: Timestamp,
        maximumFileLength: Int = AuditFile.standardLength, keptFiles: Int = AuditFile.standardKept
    ) throws(AccessError) {
        self.logger = logger
        func open(_ name: String) throws(AccessError) -> AuditFile {
            try AuditFile(
                path: "\(stateDirectory)/\(name)", maximumLength: maximumFileLength, kept: keptFiles, at: now)
        }
        done = try open(Self.fileName)
        denied = try open(Self.deniedFileName)
        state = Mutex(State(lastNumber: max(done.lastNumber, denied.lastNumber)))
        for path in done.movedAside + denied.movedAside {
            logger.error("a file of the audit could not be used; it is kept as \(path), and a new one is begun")
        }
    }

    /// Notes an entry. Denied ones are limited: of the rest, their number is noted when the minute is over.
    package func note(_ entry: AuditEntry) {
        let entry = entry.bounded
        let isDenial = entry.outcome == .denied
        var beganWindow: Timestamp?
        let noted = state.withLock { state in
            var noted = state.denials.isOver(at: entry.time) ? state.denials.end(at: entry.time) : []
            if isDenial {
                if state.denials.start == nil { beganWindow = entry.time }
                noted += state.denials.admit(entry) ? [entry] : []
            } else {
                noted.append(entry)
            }
            return noted
        }
        write(noted)
        if let beganWindow {
            queue.asyncAfter(deadline: .now() + .seconds(DenialLimit.window)) { [weak self] in
                self?.endWindow(began: beganWindow)
            }
        }
    }

    /// Writes how many denials were left out, also where no further entry comes.
    private func endWindow(began: Timestamp) {
        let end = began.advanced(bySeconds: DenialLimit.window)
        write(state.withLock { $0.denials.start == began ? $0.denials.end(at: end) : [] })
    }

    private func write(_ entries: [AuditEntry]) {
        let mustStart = state.withLock { state in
            for entry in entries {
                // Denials never take the last places.
                let room = entry.outcome == .denied ? Self.maximumWaiting / 2 : Self.maximumWaiting
                if state.waiting.count < room { state.waiting.append(entry) } else { state.dropped += 1 }
            }
            guard !entries.isEmpty, !state.isDraining else { return false }
            state.isDraining = true
            return true
        }
        for entry in entries { logger.notice("audit: \(entry)") }
        if mustStart { queue.async { [self] in drain() } }
    }

    /// The newest entries before a number, newest first; without denials, those of what was done or failed alone. Waits
    /// until what was noted is written.
    package func entries(
        before number: UInt64? = nil, limit: Int, withDenials: Bool = true
    ) async throws(AccessError) -> [AuditEntry] {
        // One more than a page, by which a reader sees whether it was the last.
        let limit = max(0, min(limit, Self.maximumPage + 1))
        let result = await onQueue { [self] in
            Result { () throws(AccessError) in
                var entries = try done.entries(before: number, limit: limit)
                if withDenials { entries += try denied.entries(before: number, limit: limit) }
                return Array(entries.sorted { $0.number > $1.number }.prefix(limit))
            }
        }
        return try result.get()
    }

    /// What a person should know: why entries are not written, and the damaged files that were moved aside and that
    /// nobody has removed yet.
    package func problems() async -> (failures: [AccessError], damaged: [String]) {
        let failures = state.withLock { state in [done, denied].compactMap { state.failures[$0.path] } }
        // Not on the log's own queue, which waits for a disk that hangs.
        let damaged = await withCheckedContinuation { (continuation: CheckedContinuation<[String], Never>) in
            DispatchQueue.global().async { [done, denied] in
                continuation.resume(returning: done.damaged() + denied.damaged())
            }
        }
        return (failures, damaged)
    }

    /// Returns once all that was noted is written.
    package func flush() async { await onQueue {} }

    /// Notes how many denials were left out, and returns once all is written. For the daemon's end.
    package func finish(at now: Timestamp) async {
        write(state.withLock { $0.denials.end(at: now) })
        await flush()
    }

    private func onQueue<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in queue.async { continuation.resume(returning: work()) } }
    }

    private func drain() {
        while let entries = next() {
            for file in [done, denied] {
                let entries = entries.filter { ($0.outcome == .denied) == (file === denied) }
                guard !entries.isEmpty else { continue }
                do throws(AccessError) {
                    try file.append(entries)
                    state.withLock { $0.failures[file.path] = nil }
                } catch {
                    complain(error, of: file, at: entries.last?.time)
                }
            }
        }
    }

    private func next() -> [AuditEntry]? {
        state.withLock { state in
            guard let last = state.waiting.last else {
                state.isDraining = false
                return nil
            }
            var entries = state.waiting
            state.waiting = []
            if state.dropped > 0 {
                entries.append(
                    AuditEntry(
                        time: last.time, actor: "kioskd", address: "local", action: "audit.dropped", outcome: .failed,
                        message: "\(state.dropped) entries found no room, since the disk was slow"))
                state.dropped = 0
            }
            // A number is not used twice, also where a line is written in part.
            for index in entries.indices {
                state.lastNumber += 1
                entries[index].number = state.lastNumber
            }
            return entries
        }
    }

    private func complain(_ error: AccessError, of file: AuditFile, at time: Timestamp?) {
        let isDue = state.withLock { state in
            state.failures[file.path] = error
            guard let time else { return false }
            if let last = state.complainedAt, last <= time, time < last.advanced(bySeconds: 60) { return false }
            state.complainedAt = time
            return true
        }
        if isDue { logger.error("the audit is not written: \(error)") }
    }
}
