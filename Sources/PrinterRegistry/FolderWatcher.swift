import Dispatch
import Glibc
import KioskDurableFiles
import Synchronization

/// Watches files for changes with inotify.
///
/// It watches their folders, not the files: editors save by renaming another file over the old one. Several events in
/// quick succession are reported once, after a short time without events, so that no half-saved file is read.
final class FolderWatcher: Sendable {
    private let inotify: CInt
    private let queue = DispatchQueue(label: "registry-watch")
    // Dispatch sources may be used from any thread; Dispatch does not declare it.
    nonisolated(unsafe) private let source: any DispatchSourceRead
    private let state: Mutex<State>
    private let changed: @Sendable () -> Void

    private struct State {
        /// The paths of the watched files by watch descriptor and file name.
        var paths: [CInt: [String: String]] = [:]
        /// Counts the events: only the timer of the last one reports.
        var generation = 0
    }

    /// Long enough for an editor to truncate and write the file, too short to notice.
    private static let quietPeriod = DispatchTimeInterval.milliseconds(100)

    /// Without IN_MODIFY: a program that writes in place closes the file at the end, and the queue's log, which
    /// `--state-dir` may put into the same folder, is modified with every job. IN_CREATE is for symbolic links, which
    /// are never closed.
    private static let events = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB | IN_CREATE)

    /// Watches the folder of each file, and the folders of all symbolic links that lead to it at present. The first
    /// folder of each path must exist; any other that cannot be watched is left out, and so are those of
    /// `alsoWherePossible`. `changed` is called on a queue of this object.
    init(
        paths: [String], alsoWherePossible others: [String] = [], changed: @escaping @Sendable () -> Void
    ) throws(FileError) {
        let inotify = inotify_init1(CInt(IN_CLOEXEC | IN_NONBLOCK))
        guard inotify >= 0 else { throw FileError(operation: "watch", path: paths.first ?? "", errno: errno) }
        var watched: [CInt: [String: String]] = [:]
        func watches(_ path: String) -> Bool {
            let watch = inotify_add_watch(inotify, Folder.parent(of: path), Self.events)
            if watch >= 0 { watched[watch, default: [:]][Folder.name(of: path)] = path }
            return watch >= 0
        }
        for path in paths {
            let chain = SymbolicLinks.chain(to: path)
            guard watches(chain[0]) else {
                let failure = errno
                close(inotify)
                throw FileError(operation: "watch", path: Folder.parent(of: chain[0]), errno: failure)
            }
            for link in chain.dropFirst() { _ = watches(link) }
        }
        for link in others.flatMap(SymbolicLinks.chain(to:)) { _ = watches(link) }
        self.inotify = inotify
        self.changed = changed
        state = Mutex(State(paths: watched))
        source = DispatchSource.makeReadSource(fileDescriptor: inotify, queue: queue)
        source.setEventHandler { [weak self] in self?.read() }
        // epoll must have released the descriptor before its number can be reused.
        source.setCancelHandler { close(inotify) }
        source.resume()
    }

    deinit { source.cancel() }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        var isRelevant = false
        while true {
            let count = Glibc.read(inotify, &buffer, buffer.count)
            guard count > 0 else { break }
            if concernsWatchedFile(buffer[..<count]) { isRelevant = true }
        }
        guard isRelevant else { return }
        let generation = state.withLock { state in
            state.generation &+= 1
            return state.generation
        }
        queue.asyncAfter(deadline: .now() + Self.quietPeriod) { [weak self] in
            guard let self, self.state.withLock({ $0.generation }) == generation else { return }
            self.changed()
        }
    }

    /// Whether one of these events concerns a watched file. Each has a header of 16 bytes (watch, mask, cookie, length
    /// of the name), then the name, padded with NULs (inotify(7)).
    private func concernsWatchedFile(_ bytes: ArraySlice<UInt8>) -> Bool {
        let paths = state.withLock { $0.paths }
        var rest = bytes
        while rest.count >= MemoryLayout<inotify_event>.size {
            let event = rest.withUnsafeBytes { $0.loadUnaligned(as: inotify_event.self) }
            rest = rest.dropFirst(MemoryLayout<inotify_event>.size)
            let name = rest.prefix(Int(event.len))
            rest = rest.dropFirst(name.count)
            // The queue overflowed: lost events may have been relevant.
            if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { return true }
            // The attributes of the folder itself: who may write to it.
            if name.isEmpty, event.mask & UInt32(IN_ATTRIB) != 0 { return true }
            let text = String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
            if let path = paths[event.wd]?[text], event.mask & UInt32(IN_CREATE) == 0 || Self.isLink(path) {
                return true
            }
        }
        return false
    }

    private static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }
}
