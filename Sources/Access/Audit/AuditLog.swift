import Dispatch
import KioskPrintModel
package import Logging
import Synchronization

/// The audit: every change, login and denial, in a file that is only appended to (`audit.jsonl` in the state directory)
/// and in the daemon's log.
///
/// Noting returns at once. A thread of its own writes, in order, and makes what waits durable together.
package final class AuditLog: Sendable {
    private let logger: Logger
    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "audit")
    private let file: AuditFile

    private struct State {
        var waiting: [AuditEntry] = []
        /// Entries that found no room.
        var dropped = 0
        var isDraining = false
        var denials = DenialLimit()
        /// When it was last said in the log that the file cannot be written.
        var complainedAt: Timestamp?
    }

    /// The file's name in the state directory.
    package static let fileName = "audit.jsonl"
    /// The most entries that wait for the disk.
    private static let maximumWaiting = 1024
    /// The most entries of one page.
    package static let maximumPage = 1000

    /// Opens the file, and makes it where there is none. Blocks.
    package init(
        stateDirectory: String, logger: Logger, maximumFileLength: Int = AuditFile.standardLength,
        keptFiles: Int = AuditFile.standardKept
    ) throws(AccessError) {
        self.logger = logger
        file = try AuditFile(
            path: "\(stateDirectory)/\(Self.fileName)", maximumLength: maximumFileLength, kept: keptFiles)
        state = Mutex(State())
    }

    /// Notes an entry. Denied ones are limited for each address: of the rest, their number is noted later.
    package func note(_ entry: AuditEntry) {
        let entry = entry.bounded
        let (noted, mustStart) = state.withLock { state -> ([AuditEntry], Bool) in
            let noted = entry.outcome == .denied ? state.denials.admit(entry) : [entry]
            for entry in noted {
                // Denials never take the last places.
                let isDenial = entry.outcome == .denied
                if state.waiting.count < (isDenial ? Self.maximumWaiting / 2 : Self.maximumWaiting) {
                    state.waiting.append(entry)
                } else {
                    state.dropped += 1
                }
            }
            guard !noted.isEmpty, !state.isDraining else { return (noted, false) }
            state.isDraining = true
            return (noted, true)
        }
        for entry in noted { logger.notice("audit: \(entry)") }
        if mustStart { queue.async { [self] in drain() } }
    }

    /// The newest entries before a number, newest first. Waits until what was noted is written.
    package func entries(before number: UInt64? = nil, limit: Int) async throws(AccessError) -> [AuditEntry] {
        // One more than a page, by which a reader sees whether it was the last.
        let limit = max(0, min(limit, Self.maximumPage + 1))
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<[AuditEntry], AccessError>, Never>) in
            queue.async { [self] in
                continuation.resume(
                    returning: Result { () throws(AccessError) in try file.entries(before: number, limit: limit) })
            }
        }
        return try result.get()
    }

    /// Returns once all that was noted is written.
    package func flush() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }

    private func drain() {
        while let entries = next() {
            do throws(AccessError) { try file.append(entries) } catch { complain(error, at: entries.last?.time) }
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
            return entries
        }
    }

    private func complain(_ error: AccessError, at time: Timestamp?) {
        let isDue = state.withLock { state in
            guard let time else { return false }
            if let last = state.complainedAt, last <= time, time < last.advanced(bySeconds: 60) { return false }
            state.complainedAt = time
            return true
        }
        if isDue { logger.error("the audit is not written: \(error)") }
    }
}

/// The limit on denied entries of one address, which anybody may cause. A value without a clock.
struct DenialLimit: Sendable {
    private var windows: [String: Window] = [:]

    private struct Window {
        var start: Timestamp
        var count = 0
        /// Those that were not noted.
        var omitted = 0
    }

    /// Denials of one address that are noted in each window.
    static let maximumPerWindow = 20
    /// Seconds.
    static let window = 60
    /// The most addresses that are counted apart; the others are counted together.
    static let maximumAddresses = 256

    /// The entries to note for this one: itself, or nothing; before it the number of those that were left out.
    mutating func admit(_ entry: AuditEntry) -> [AuditEntry] {
        var noted: [AuditEntry] = []
        let key = key(for: LoginThrottle.key(of: entry.address), at: entry.time, &noted)
        var window = windows[key] ?? Window(start: entry.time)
        if isOver(window, at: entry.time) {
            if let summary = Self.summary(of: window, key, at: entry.time) { noted.append(summary) }
            window = Window(start: entry.time)
        }
        if window.count < Self.maximumPerWindow {
            window.count += 1
            noted.append(entry)
        } else {
            window.omitted += 1
        }
        windows[key] = window
        return noted
    }

    private mutating func key(for key: String, at now: Timestamp, _ noted: inout [AuditEntry]) -> String {
        guard windows[key] == nil, windows.count >= Self.maximumAddresses else { return key }
        for (address, window) in windows where isOver(window, at: now) {
            if let summary = Self.summary(of: window, address, at: now) { noted.append(summary) }
            windows[address] = nil
        }
        return windows.count < Self.maximumAddresses ? key : Self.others
    }

    private func isOver(_ window: Window, at now: Timestamp) -> Bool {
        now < window.start || window.start.advanced(bySeconds: Self.window) <= now
    }

    private static let others = "other addresses"

    private static func summary(of window: Window, _ address: String, at now: Timestamp) -> AuditEntry? {
        guard window.omitted > 0 else { return nil }
        return AuditEntry(
            time: now, actor: "nobody", address: address, action: "denied", outcome: .denied,
            message: "\(window.omitted) more since \(window.start)")
    }
}
