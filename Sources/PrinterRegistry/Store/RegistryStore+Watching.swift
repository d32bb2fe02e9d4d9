import DurableFiles

extension RegistryStore {
    /// Reloads the registry whenever its file changes, until the task is cancelled; then returns. What becomes of
    /// each change shows in `changes` and `problem`. Throws only when the folder cannot be watched.
    public nonisolated func watch() async throws {
        let (events, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let watcher = try await beginWatching { continuation.yield() }
        await withTaskCancellationHandler {
            // An edit between opening the registry and watching its folder.
            continuation.yield()
            for await _ in events { await reloadQuietly() }
        } onCancel: {
            continuation.finish()
        }
        withExtendedLifetime(watcher) {}
    }

    private func beginWatching(_ changed: @escaping @Sendable () -> Void) throws -> FolderWatcher {
        do throws(FileError) {
            try Folder.create(Folder.parent(of: path))
            // A symbolic link and the file that it leads to may each be replaced.
            let target = AtomicFile.resolvingLinks(path)
            return try FolderWatcher(paths: target == path ? [path] : [path, target], changed: changed)
        } catch {
            throw RegistryError(.fileFailure, message: error.message)
        }
    }

    /// The error is published as a change, and kept in `problem`.
    private func reloadQuietly() { try? reload() }
}
