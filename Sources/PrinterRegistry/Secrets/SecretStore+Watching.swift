import DurableFiles
import PrintModel

extension SecretStore {
    /// Calls `changed` whenever the secrets file, or a certificate or key that it names, was changed, replaced or given
    /// other rights, until the task is cancelled; then returns. Throws only when the file's folder cannot be watched.
    public nonisolated func watch(_ changed: @Sendable (SecretChange) async -> Void) async throws {
        let (events, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        var known = await snapshot()
        var watcher = try await beginWatching(known) { continuation.yield() }
        // What changed before the watch began.
        continuation.yield()
        await withTaskCancellationHandler {
            for await _ in events {
                let now = await snapshot()
                if now.files.keys != known.files.keys, let wider = try? await beginWatching(now, { continuation.yield() }) {
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

    func snapshot() -> SecretSnapshot {
        let entries: Result<[String: SecretReader.Entry], CredentialError>?
        do throws(CredentialError) {
            entries = try self.entries()
        } catch {
            entries = .failure(error)
        }
        guard case .success(let known)? = entries else { return SecretSnapshot(entries: entries, files: [:]) }
        let paths = Set(known.values.flatMap(SecretSnapshot.files))
        return SecretSnapshot(entries: entries, files: Dictionary(uniqueKeysWithValues: paths.map { ($0, SecretFile.version(of: $0)) }))
    }

    private func beginWatching(_ snapshot: SecretSnapshot, _ changed: @escaping @Sendable () -> Void) throws -> FolderWatcher {
        func both(_ path: String) -> [String] {
            let target = AtomicFile.resolvingLinks(path)
            return target == path ? [path] : [path, target]
        }
        do throws(FileError) {
            return try FolderWatcher(paths: both(path), alsoWherePossible: snapshot.files.keys.flatMap(both), changed: changed)
        } catch {
            throw RegistryError(.fileFailure, message: error.message)
        }
    }
}
