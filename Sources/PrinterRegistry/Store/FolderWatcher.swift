import Dispatch
import DurableFiles
import Glibc
import Synchronization

/// Tells when a file of a name appears or changes in one of some folders, by inotify.
///
/// Folders are watched, not the file: editors save by renaming another file into its place. Several events in quick
/// succession are told once, when the file has been quiet for a moment, so that half a save is not read.
final class FolderWatcher: Sendable {
    private let inotify: CInt
    private let queue = DispatchQueue(label: "registry-watch")
    // Dispatch sources may be used from any thread; Dispatch does not declare it.
    nonisolated(unsafe) private let source: any DispatchSourceRead
    private let state: Mutex<State>
    private let changed: @Sendable () -> Void

    private struct State {
        /// The files in each folder, by their names, by watch descriptor.
        var paths: [CInt: [String: String]] = [:]
        /// Counts the events, so that only the last one's timer tells.
        var generation = 0
    }

    /// Long enough for an editor's truncate and write, short enough that nobody waits for it.
    private static let quiet = DispatchTimeInterval.milliseconds(100)

    /// Not IN_MODIFY: whoever writes in place closes in the end, and the queue's log, which `--state-dir` keeps in the
    /// same folder, is modified with every job. IN_CREATE counts for symbolic links, which nobody closes.
    private static let events = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB | IN_CREATE)

    /// Watches the folders of every path's file and of all symbolic links on the way to it, as they lead now. The first
    /// of them has to be there; what can else not be watched is left out, and so is all of `alsoWherePossible` that
    /// cannot. `changed` is called on a queue of this object.
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
            let way = FileLinks.way(to: path)
            guard watches(way[0]) else {
                let failure = errno
                close(inotify)
                throw FileError(operation: "watch", path: Folder.parent(of: way[0]), errno: failure)
            }
            for step in way.dropFirst() { _ = watches(step) }
        }
        for step in others.flatMap(FileLinks.way(to:)) { _ = watches(step) }
        self.inotify = inotify
        self.changed = changed
        state = Mutex(State(paths: watched))
        source = DispatchSource.makeReadSource(fileDescriptor: inotify, queue: queue)
        source.setEventHandler { [weak self] in self?.read() }
        // epoll must have let go of the descriptor before its number can be another's.
        source.setCancelHandler { close(inotify) }
        source.resume()
    }

    deinit { source.cancel() }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        var isOurs = false
        while true {
            let count = Glibc.read(inotify, &buffer, buffer.count)
            guard count > 0 else { break }
            if containsOurs(buffer[..<count]) { isOurs = true }
        }
        guard isOurs else { return }
        let generation = state.withLock { state in
            state.generation &+= 1
            return state.generation
        }
        queue.asyncAfter(deadline: .now() + Self.quiet) { [weak self] in
            guard let self, self.state.withLock({ $0.generation }) == generation else { return }
            self.changed()
        }
    }

    /// inotify(7): a header of 16 bytes (watch, mask, cookie, length of the name), then the name padded with NULs.
    private func containsOurs(_ bytes: ArraySlice<UInt8>) -> Bool {
        let paths = state.withLock { $0.paths }
        var rest = bytes
        while rest.count >= MemoryLayout<inotify_event>.size {
            let event = rest.withUnsafeBytes { $0.loadUnaligned(as: inotify_event.self) }
            rest = rest.dropFirst(MemoryLayout<inotify_event>.size)
            let name = rest.prefix(Int(event.len))
            rest = rest.dropFirst(name.count)
            // Lost events may have been ours.
            if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { return true }
            // Of the folder itself: who may write in it.
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
