import DurableFiles

extension RegistryStore {
    /// Reloads the registry whenever its file changes, until the task is cancelled; then returns. What becomes of
    /// each change shows in `changes` and `problem`. Throws only when the folder cannot be watched.
    ///
    /// Where the path leads over symbolic links, each of them is watched, and the file that they lead to, also when
    /// they come to lead elsewhere.
    public nonisolated func watch() async throws {
        let (events, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        var watcher = try await beginWatching { continuation.yield() }
        await withTaskCancellationHandler {
            // An edit between opening the registry and watching its folder.
            continuation.yield()
            for await _ in events {
                // First the watch, so that no edit comes between: a link may lead elsewhere now.
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
    private func reloadQuietly() { try? reload() }
}
