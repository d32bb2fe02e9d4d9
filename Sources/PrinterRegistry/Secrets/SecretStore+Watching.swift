import DurableFiles
import PrintModel

extension SecretStore {
    /// Calls `changed` whenever the secrets file, or a certificate or key that it names, was changed, replaced or given
    /// other rights since `known`, until the task is cancelled; then returns. Throws only when the file's folder cannot
    /// be watched.
    public nonisolated func watch(
        since known: SecretSnapshot, _ changed: @Sendable (SecretChange) async -> Void
    ) async throws {
        let (events, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        var known = known
        var watcher = try await beginWatching(known) { continuation.yield() }
        // What changed before the watch began.
        continuation.yield()
        await withTaskCancellationHandler {
            for await _ in events {
                // First the watch, so that no edit comes between: a link may lead elsewhere now.
                if let new = try? await beginWatching(known, { continuation.yield() }) { watcher = new }
                let now = await snapshot()
                if now.files.keys != known.files.keys,
                    let wider = try? await beginWatching(now, { continuation.yield() })
                {
                    watcher = wider
                    continuation.yield()
                }
                let change = SecretChange(before: known, after: now)
                known = now
                await changed(change)
            }
        } onCancel: {
            continuation.finish()
        }
        withExtendedLifetime(watcher) {}
    }

    /// What the secrets file says now.
    public func snapshot() -> SecretSnapshot {
        let entries: Result<[String: SecretReader.Entry], CredentialError>?
        do throws(CredentialError) {
            entries = try self.entries()
        } catch {
            entries = .failure(error)
        }
        guard case .success(let known)? = entries else { return SecretSnapshot(entries: entries, files: [:]) }
        let paths = Set(known.values.flatMap(SecretSnapshot.files))
        return SecretSnapshot(
            entries: entries, files: Dictionary(uniqueKeysWithValues: paths.map { ($0, SecretFile.version(of: $0)) }))
    }

    private func beginWatching(
        _ snapshot: SecretSnapshot, _ changed: @escaping @Sendable () -> Void
    ) throws -> FolderWatcher {
        do throws(FileError) {
            return try FolderWatcher(paths: [path], alsoWherePossible: Array(snapshot.files.keys), changed: changed)
        } catch {
            throw RegistryError(.fileFailure, message: error.message)
        }
    }
}
