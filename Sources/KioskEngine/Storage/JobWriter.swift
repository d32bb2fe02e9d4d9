import Dispatch
import GRDB
import KioskAsyncPrimitives
import KioskPrintModel
import Synchronization

/// Writes job records to the queue, in the order of their changes, and publishes each once it is on disk.
final class JobWriter: Sendable {
    private let commits: CommitQueue
    private let hub: EventHub
    private let registry: CurrentRegistry
    private let storage: StorageHealth
    private let clock: EngineClock
    /// Jobs whose latest change is stored with the next tick.
    private let unsaved = Mutex<Set<Int64>>([])

    init(
        commits: CommitQueue, hub: EventHub, registry: CurrentRegistry, storage: StorageHealth, clock: EngineClock
    ) {
        self.commits = commits
        self.hub = hub
        self.registry = registry
        self.storage = storage
        self.clock = clock
    }

    /// Stores a change without waiting for the disk.
    func save(_ record: JobRecord) {
        let (hub, storage, now) = (hub, storage, clock.now())
        commits.enqueue { db in
            try JobStore.update(record, at: now, in: db)
        } completion: { result in
            switch result {
            case .success:
                storage.noteSuccess()
                hub.publish(.jobChanged, job: record.job)
            case .failure(let error): storage.note(error, doing: "store the job")
            }
        }
    }

    /// Hands in a change, behind all that were handed in before; `stored` waits for it.
    func handIn(_ record: JobRecord) -> HandedWrite {
        let (hub, storage, now) = (hub, storage, clock.now())
        // A large document is a file, which is removed when its row no longer names it.
        let isLastUse =
            record.stage == .done && record.documentFile == nil
            && registry.retention(of: record.job.role).effectiveDocuments == 0
        return commits.handIn { db in
            if isLastUse { try JobStore.forgetDocument(of: record.job.id, in: db) }
            try JobStore.update(record, at: now, in: db)
        } whenStored: {
            storage.noteSuccess()
            hub.publish(.jobChanged, job: record.job)
        }
    }

    /// Returns once the change is on disk.
    func stored(_ change: HandedWrite, isolation: isolated (any Actor)? = #isolation) async throws {
        try await change.wait()
    }

    /// Stores a change; it is on disk, and published, when this returns.
    func saveDurably(_ record: JobRecord, isolation: isolated (any Actor)? = #isolation) async throws {
        try await stored(handIn(record))
    }

    // MARK: Changes that wait for the next tick

    /// Notes that a job's latest change is to be stored with the next tick. Only for what a restart can ask the printer
    /// for.
    func saveWithNextTick(_ id: Int64) { _ = unsaved.withLock { $0.insert(id) } }

    /// The noted jobs, which are noted no more.
    func takeUnsaved() -> Set<Int64> {
        unsaved.withLock { unsaved in
            defer { unsaved = [] }
            return unsaved
        }
    }
}

/// The database's writer with group commit: whatever arrives while a commit is on its way to the disk goes into the
/// next one.
///
/// Writes run in the order in which they were handed in, on a thread of the queue's own, which ends with it. A write's
/// result is given only after its commit is on disk. A write that throws before it changed anything fails alone; a
/// commit that fails fails every write in it.
final class CommitQueue: Sendable {
    private let shared: Shared
    private let thread: WorkerThread

    /// What the queue has in common with its thread.
    private final class Shared: Sendable {
        let state = Mutex(State())
        let work = DispatchSemaphore(value: 0)
        /// Is told how long the disk takes.
        let observer = Mutex<(any EngineObserver)?>(nil)
    }

    private struct State {
        var pending: [any PendingWrite] = []
        var isDraining = false
        var isOver = false
    }

    init(writer: DatabasePool) throws(EngineError) {
        let shared = Shared()
        let thread = WorkerThread("queue") {
            while true {
                shared.work.wait()
                // The thread takes the connection itself: no other one has to be woken.
                writer.unsafeReentrantWrite { db in Self.drain(shared, db) }
                if shared.state.withLock(\.isOver) { return }
            }
        }
        guard let thread else {
            throw EngineError(
                .storageFailed,
                "the system refuses a thread for the queue; raise its limit of tasks (systemd: TasksMax=, ulimit -u)")
        }
        (self.shared, self.thread) = (shared, thread)
    }

    /// Has somebody told how long commits take.
    func observe(_ observer: any EngineObserver) { shared.observer.withLock { $0 = observer } }

    /// Waits for the thread, which holds the connection: SQLite removes the log by its name where the last connection to
    /// a file is closed, and another queue may have that name by then.
    deinit {
        shared.state.withLock { $0.isOver = true }
        shared.work.signal()
        thread.join()
    }

    /// Runs a write and returns once it is on disk. The write has its place before this leaves its caller's actor.
    ///
    /// `whenStored` runs on the writer's thread, before any later commit.
    func commit<Value: Sendable>(
        isolation: isolated (any Actor)? = #isolation, _ body: @escaping @Sendable (Database) throws -> Value,
        whenStored: @escaping @Sendable () -> Void = {}
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            enqueue(body) { result in
                if case .success = result { whenStored() }
                continuation.resume(with: result)
            }
        }
    }

    /// Hands in a write without waiting; `completion` runs on the writer's thread after the commit, in order.
    func enqueue<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        let write = Write(body: body, completion: completion)
        let mustStart = shared.state.withLock { state in
            state.pending.append(write)
            defer { state.isDraining = true }
            return !state.isDraining
        }
        if mustStart { shared.work.signal() }
    }

    /// Hands in a write, which has its place among all others when this returns; it is waited for later, or never.
    func handIn(
        _ body: @escaping @Sendable (Database) throws -> Void, whenStored: @escaping @Sendable () -> Void
    ) -> HandedWrite {
        let write = HandedWrite()
        enqueue(body) { result in
            if case .success = result { whenStored() }
            write.end(result)
        }
        return write
    }

    /// Returns once everything that was handed in so far is on disk, or has failed.
    func flush(isolation: isolated (any Actor)? = #isolation) async {
        await withCheckedContinuation { continuation in
            enqueue({ _ in }) { _ in continuation.resume() }
        }
    }

    private static func drain(_ shared: Shared, _ db: Database) {
        while true {
            let batch = shared.state.withLock { state in
                let batch = state.pending
                state.pending = []
                state.isDraining = !batch.isEmpty
                return batch
            }
            guard !batch.isEmpty else { return }
            do {
                let observer = shared.observer.withLock(\.self)
                try db.directTransaction(committed: { observer?.committed(in: $0) }) {
                    // Alone, it takes nothing along but itself.
                    if batch.count == 1 { return batch[0].run(db, savepoint: false) == nil ? .commit : .rollback }
                    for write in batch {
                        // Where that ended the transaction, nothing of those before it is left, either.
                        if let failure = write.run(db, savepoint: true), !db.isInsideTransaction { throw failure }
                    }
                    return .commit
                }
                for write in batch { write.complete(failure: nil) }
            } catch {
                let failure = error as? EngineError ?? EngineError.storage(error, doing: "store the job")
                for write in batch { write.complete(failure: failure) }
            }
        }
    }
}

private protocol PendingWrite: AnyObject, Sendable {
    /// Returns why it failed; nil where it did not. With `savepoint`, nothing of one that failed is left.
    func run(_ db: Database, savepoint: Bool) -> EngineError?
    func complete(failure: EngineError?)
}

/// Touched by the writer's thread alone once it is handed in, hence unchecked.
private final class Write<Value: Sendable>: PendingWrite, @unchecked Sendable {
    private let body: @Sendable (Database) throws -> Value
    private let completion: @Sendable (Result<Value, any Error>) -> Void
    private var result: Result<Value, any Error>?

    init(
        body: @escaping @Sendable (Database) throws -> Value,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        self.body = body
        self.completion = completion
    }

    func run(_ db: Database, savepoint: Bool) -> EngineError? {
        do {
            if savepoint {
                // So that a write that fails half-way takes nothing of its own into the shared commit.
                try db.directSavepoint { result = .success(try body(db)) }
            } else {
                result = .success(try body(db))
            }
            return nil
        } catch {
            let failure = error as? EngineError ?? EngineError.storage(error, doing: "store the job")
            result = .failure(failure)
            return failure
        }
    }

    func complete(failure: EngineError?) {
        completion(
            failure.map { .failure($0) } ?? result ?? .failure(EngineError(.storageFailed, "the write did not run")))
    }
}

/// A write that has its place in the commit queue. One task may wait for it.
final class HandedWrite: Sendable {
    private enum State {
        case underWay
        case awaited(CheckedContinuation<Void, any Error>)
        case over(Result<Void, any Error>)
    }
    private let state = Mutex(State.underWay)

    /// It is on disk, or has failed.
    func end(_ result: Result<Void, any Error>) {
        let waiting = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            defer { state = .over(result) }
            if case .awaited(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume(with: result)
    }

    /// Returns once it is on disk.
    func wait(isolation: isolated (any Actor)? = #isolation) async throws {
        try await withCheckedThrowingContinuation { continuation in
            let result = state.withLock { state -> Result<Void, any Error>? in
                if case .over(let result) = state { return result }
                state = .awaited(continuation)
                return nil
            }
            if let result { continuation.resume(with: result) }
        }
    }
}
