import KioskAsyncPrimitives
import Logging
import Synchronization

/// Whether the state directory's disk works, as far as reads and writes have shown.
///
/// A failure is shown until a write succeeds again. Damage stays until the next start: one page may be sound where
/// another is not.
final class StorageHealth: Sendable {
    /// Raised when damage of the queue is found.
    let damageFound = AsyncSignal()
    /// Raised when the disk fails in a way that damage may have caused.
    let checkWanted = AsyncSignal()
    /// Raised when the disk is full: kept documents of final jobs may be removed.
    private let roomWanted: AsyncSignal
    private let state = Mutex<EngineError?>(nil)
    private let files: QueueFiles
    private let spool: DocumentSpool
    private let logger: Logger

    init(files: QueueFiles, spool: DocumentSpool, roomWanted: AsyncSignal, logger: Logger) {
        self.files = files
        self.spool = spool
        self.roomWanted = roomWanted
        self.logger = logger
    }

    /// The pause before a failed write is tried again.
    static let retryInterval = Duration.seconds(1)

    /// The failure that the health check shows.
    var problem: EngineError? { state.withLock(\.self) }

    /// The damage that was found, if any.
    var damage: EngineError? { problem.flatMap { $0.code == .storageDamaged ? $0 : nil } }

    /// A write succeeded.
    func noteSuccess() {
        state.withLock { if $0 != nil, $0?.code != .storageDamaged { $0 = nil } }
    }

    /// A read or write failed. Errors that are not about storage are ignored.
    func note(_ error: EngineError) {
        guard error.isAboutStorage else { return }
        let previous = state.withLock { state in
            defer { if state?.code != .storageDamaged { state = error } }
            return state
        }
        guard previous?.code != .storageDamaged else { return }
        if previous == nil || error.code == .storageDamaged { logger.error("\(error.message)") }
        if error.code == .storageFull { roomWanted.raise() } else { checkWanted.raise() }
        guard error.code == .storageDamaged else { return }
        damageFound.raise()
        spool.inBackground { [files, logger] in
            do {
                try files.suspect()
            } catch {
                logger.error("the next start is not told to check the queue: \(error)")
            }
        }
    }

    /// A read or write of the queue failed. `what` completes "could not …".
    func note(_ error: any Error, doing what: String) {
        note(error as? EngineError ?? .storage(error, doing: what))
    }
}
