import DurableFiles

extension SecretStore {
    /// Calls `changed` whenever the secrets file was changed, replaced or given other rights, until the task is
    /// cancelled; then returns. Throws only when the file's folder cannot be watched.
    public nonisolated func watch(_ changed: @Sendable () async -> Void) async throws {
        let (events, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let watcher = try await beginWatching { continuation.yield() }
        await withTaskCancellationHandler {
            for await _ in events { await changed() }
        } onCancel: {
            continuation.finish()
        }
        withExtendedLifetime(watcher) {}
    }

    private func beginWatching(_ changed: @escaping @Sendable () -> Void) throws -> FolderWatcher {
        do throws(FileError) {
            let target = AtomicFile.resolvingLinks(path)
            return try FolderWatcher(paths: target == path ? [path] : [path, target], changed: changed)
        } catch {
            throw RegistryError(.fileFailure, message: error.message)
        }
    }
}
