import Dispatch
import KioskDurableFiles
import KioskPrintModel
import Synchronization

/// A registry file, and the last valid registry that was read from it.
///
/// An invalid, missing or emptied file never replaces the registry in force. Nor does a file that anyone but root and
/// this program's user could have changed: its writer controls where printers' logins go. Saving changes only what was
/// edited, is atomic and durable, starts from the newest content of the file, and keeps ten previous versions beside it
/// (`printers.yaml.~N~`, the highest number is the newest). Two programs may share a file; each saves under a lock on
/// its folder.
public actor RegistryStore {
    /// The registry file's path.
    public nonisolated let path: String
    private let executor = FileExecutor()
    private let broadcaster = ChangeBroadcaster()
    private let profiles: ProfileLibrary?

    /// The registry in force.
    public private(set) var registry: Registry
    /// The reason why the present file is not in force; nil when it is.
    public private(set) var problem: RegistryError?
    /// The content that `registry` was read from; nil before the first.
    private var validContent: [UInt8]?
    /// The content that was last read, valid or not; nil where there was no file.
    private var lastContent: [UInt8]?

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Every change from now on; each call returns a new stream.
    public nonisolated var changes: AsyncStream<RegistryChange> { broadcaster.stream() }

    /// Opens a registry file. A missing file is an empty registry; the first save creates it. Where the file is
    /// invalid, unreadable or was emptied, the newest valid previous version comes into force, and `problem` says what
    /// is wrong.
    public init(path: String, profiles: ProfileLibrary? = nil) async {
        self.path = path
        self.profiles = profiles
        registry = Registry(unchecked: [], roles: [], profiles: profiles)
        load()
    }

    /// Reads the file again, as on SIGHUP; returns the registry that was in force before and the one that is now. Throws
    /// what is wrong with the file; then the last valid registry stays in force.
    @discardableResult
    public func reload() throws(RegistryError) -> (before: Registry, after: Registry) {
        let before = registry
        try readAgain()
        return (before, registry)
    }

    private func readAgain() throws(RegistryError) {
        do throws(RegistryError) {
            let content = try readFile()
            // The content that was saved here, or only touched: nothing to publish.
            if content == lastContent, problem?.code != .fileFailure, problem?.code != .unprotected {
                return try throwProblem()
            }
            lastContent = content
            guard let content else {
                guard validContent != nil else { return }
                throw missing
            }
            // Many programs truncate a file before they write it.
            if content.isEmpty, validContent?.isEmpty == false { throw emptied }
            adopt(try RegistryReader.read(content, file: path, profiles: profiles).registry, from: content)
        } catch {
            refuse(error)
            throw error
        }
    }

    private func throwProblem() throws(RegistryError) {
        if let problem { throw problem }
    }
}

// MARK: - Saving

extension RegistryStore {
    /// Changes the registry: `edit` receives the newest content of the file and returns the new registry. Returns once
    /// that is durable and in force.
    ///
    /// Throws what `edit` throws, and what `reload` throws when the file has an error: such a file is never
    /// overwritten.
    @discardableResult
    public func update(_ edit: @Sendable (Registry) throws -> Registry) throws -> Registry {
        do {
            // Not a lock on the file: each save replaces it.
            try Folder.create(Folder.parent(of: path))
            return try Folder.withLock(on: Folder.parent(of: path)) { try updateLocked(edit) }
        } catch let error as FileError {
            throw RegistryError(.fileFailure, message: error.message)
        }
    }

    private func updateLocked(_ edit: (Registry) throws -> Registry) throws -> Registry {
        // The file may just have been edited: apply the change to that. A missing file is written again from the last
        // valid content.
        do { try reload() } catch { if problem != missing { throw error } }
        let edited = try edit(registry)
        guard edited.printers != registry.printers || edited.roles != registry.roles else { return registry }
        let new = try Registry(printers: edited.printers, roles: edited.roles, profiles: profiles)
        let content = try RegistryWriter.write(new, over: validContent, file: path)
        // First keep the content that is replaced; without this the save must not happen.
        if let validContent { try versions.keep(validContent) }
        try AtomicFile.replace(path, with: content, permissions: 0o640, keepingPermissions: true)
        lastContent = content
        adopt(new, from: content)
        return new
    }

    /// Replaces the whole file by a text of somebody else's, which is checked as an edit by hand is. Returns once it is
    /// durable and in force, with the registries before and after; a text that is there already changes nothing.
    ///
    /// Unlike `update`, it overwrites a file that has an error or is missing: its content is kept as a version. Throws
    /// every problem of the text, called `name` there; then nothing has changed.
    package func replace(
        with content: [UInt8], named name: String
    ) throws(RegistryError) -> (before: Registry, after: Registry) {
        do {
            try Folder.create(Folder.parent(of: path))
            return try Folder.withLock(on: Folder.parent(of: path)) { try replaceLocked(with: content, named: name) }
        } catch let error as RegistryError {
            throw error
        } catch let error as FileError {
            throw RegistryError(.fileFailure, message: error.message)
        } catch {
            throw RegistryError(.fileFailure, message: "\(path) cannot be replaced: \(error)")
        }
    }

    private func replaceLocked(
        with content: [UInt8], named name: String
    ) throws -> (before: Registry, after: Registry) {
        let new = try RegistryReader.read(content, file: name, profiles: profiles).registry
        do { try reload() } catch {
            guard error.code == .invalidFile || error == missing || error == emptied else { throw error }
        }
        let before = registry
        guard content != lastContent || problem != nil else { return (before, before) }
        if let validContent { try versions.keep(validContent) }
        // What a person wrote by hand, though it was never in force.
        if let lastContent, !lastContent.isEmpty, lastContent != validContent { try versions.keep(lastContent) }
        try AtomicFile.replace(path, with: content, permissions: 0o640, keepingPermissions: true)
        lastContent = content
        adopt(new, from: content)
        return (before, new)
    }

    /// What the file held when it was last read, valid or not; nil where there was none.
    package var fileContent: [UInt8]? { lastContent }

    private func load() {
        do throws(RegistryError) {
            lastContent = try readFile()
            guard let content = lastContent else { return }
            // The power failed while the file was written in place.
            if content.isEmpty, newestValidVersion?.bytes.isEmpty == false { throw emptied }
            adopt(try RegistryReader.read(content, file: path, profiles: profiles).registry, from: content)
        } catch {
            if let version = newestValidVersion {
                registry = version.output.registry
                validContent = version.bytes
            }
            refuse(error)
        }
    }

    private var newestValidVersion: (bytes: [UInt8], output: RegistryReader.Output)? {
        try? versions.newestValid { try? RegistryReader.read($0, file: path, profiles: profiles) }
    }

    private var versions: RegistryVersions { RegistryVersions(path: path) }

    /// The file's content; nil when there is none.
    private func readFile() throws(RegistryError) -> [UInt8]? {
        do throws(FileError) {
            return try ProtectedFile.read(path, limit: YAMLLimits.maximumLength)
        } catch {
            if error.isNotFound { return nil }
            throw RegistryError(error)
        }
    }

    private var missing: RegistryError {
        RegistryError(.fileFailure, message: "\(path) is missing; restore it, or save a printer to write it again")
    }

    private var emptied: RegistryError {
        RegistryError(
            .fileFailure,
            message: "\(path) is empty; restore its text, or write \"version: 1\" into it if no printer is to remain")
    }

    private func adopt(_ registry: Registry, from content: [UInt8]) {
        self.registry = registry
        validContent = content
        problem = nil
        // Best effort: where a version cannot be written, a save cannot either, and reports it.
        try? versions.keep(content)
        broadcaster.publish(.reloaded(registry))
    }

    private func refuse(_ error: RegistryError) {
        // Publish the same error only once.
        guard problem != error else { return }
        problem = error
        broadcaster.publish(.refused(error))
    }
}

// MARK: - Versions

extension RegistryStore {
    /// The versions that are kept, newest first; the newest is the one in force, unless a person's edit of the file was
    /// refused.
    public func keptVersions() throws(RegistryError) -> [RegistryVersion] {
        do {
            return try versions.list()
        } catch {
            throw RegistryError(error)
        }
    }

    /// The number of the newest kept version; nil before the first.
    public var newestVersion: Int? { (try? versions.numbers())?.first }

    /// Brings a kept version into force again, as a new one. `newest` is the newest version that the caller knows: it
    /// throws `changedMeanwhile` where there is a newer one by now.
    ///
    /// Returns the registry that it replaced, with what a person had just edited in the file, and the one that is in
    /// force now. Throws `versionNotFound` for a number that is not kept, what is wrong with the version where it is
    /// not valid any more, and what `reload` throws when the present file has an error: such a file is never
    /// overwritten.
    @discardableResult
    public func restore(version number: Int, over newest: Int? = nil) throws -> (before: Registry, after: Registry) {
        do {
            return try Folder.withLock(on: Folder.parent(of: path)) {
                do { try reload() } catch { if problem != missing { throw error } }
                let kept = try versions.list()
                if let newest, let present = kept.first?.number, present != newest {
                    throw RegistryError(
                        .changedMeanwhile,
                        message:
                            "the registry was changed meanwhile: its newest version is \(present), not \(newest); nothing was changed; look at it again"
                    )
                }
                guard let content = kept.first(where: { $0.number == number })?.content else {
                    throw RegistryError(
                        .versionNotFound,
                        message:
                            "version \(number) of the registry is not kept; the kept ones are \(kept.map { "\($0.number)" }.joined(separator: ", "))"
                    )
                }
                let before = registry
                guard content != lastContent else { return (before, before) }
                let restored = try RegistryReader.read(content, file: path, profiles: profiles).registry
                if let validContent { try versions.keep(validContent) }
                try AtomicFile.replace(path, with: content, permissions: 0o640, keepingPermissions: true)
                lastContent = content
                adopt(restored, from: content)
                return (before, restored)
            }
        } catch let error as FileError {
            throw RegistryError(.fileFailure, message: error.message)
        }
    }
}

// MARK: - Watching

extension RegistryStore {
    /// Reloads the registry whenever its file changes, until the task is cancelled; then returns. `changes` and
    /// `problem` show the result of each change. Throws only when the folder cannot be watched.
    ///
    /// Where the path contains symbolic links, each of them is watched, and the file that they lead to, also when their
    /// targets change.
    public nonisolated func watch() async throws {
        let (events, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        var watcher = try await beginWatching { continuation.yield() }
        await withTaskCancellationHandler {
            // An edit between opening the registry and watching its folder.
            continuation.yield()
            for await _ in events {
                // Watch first, so that no edit is missed: the target of a link may have changed.
                if let new = try? await beginWatching({ continuation.yield() }) { watcher = new }
                await reloadQuietly()
            }
        } onCancel: {
            continuation.finish()
        }
        withExtendedLifetime(watcher) {}
    }

    private func beginWatching(_ changed: @escaping @Sendable () -> Void) throws -> FolderWatcher {
        do throws(FileError) {
            try Folder.create(Folder.parent(of: path))
            return try FolderWatcher(paths: [path], changed: changed)
        } catch {
            throw RegistryError(.fileFailure, message: error.message)
        }
    }

    /// The error is published as a change, and kept in `problem`.
    private func reloadQuietly() { _ = try? reload() }
}

/// A change of a registry file.
public enum RegistryChange: Hashable, Sendable {
    /// A new registry is in force, saved by this program or edited by someone else.
    case reloaded(Registry)
    /// The file is invalid or unreadable; the last valid registry stays in force.
    case refused(RegistryError)
}

/// Sends every change to all its streams.
private final class ChangeBroadcaster: Sendable {
    private let streams = Mutex<(next: Int, all: [Int: AsyncStream<RegistryChange>.Continuation])>((0, [:]))

    /// A slow reader loses the oldest changes; the newest is enough.
    private static let bufferedChanges = 64

    deinit { streams.withLock { $0.all.values.forEach { $0.finish() } } }

    func stream() -> AsyncStream<RegistryChange> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: RegistryChange.self, bufferingPolicy: .bufferingNewest(Self.bufferedChanges))
        let number = streams.withLock { streams in
            streams.next += 1
            streams.all[streams.next] = continuation
            return streams.next
        }
        continuation.onTermination = { [weak self] _ in
            self?.streams.withLock { _ = $0.all.removeValue(forKey: number) }
        }
        return stream
    }

    func publish(_ change: RegistryChange) {
        // Yielding may end a stream, whose handler acquires the lock again.
        let continuations = streams.withLock { Array($0.all.values) }
        continuations.forEach { $0.yield(change) }
    }
}

/// Runs an actor whose methods block on the disk on a queue of its own, off the cooperative pool.
final class FileExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "registry-files")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
