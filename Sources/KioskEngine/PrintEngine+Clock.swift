import Logging
import PrintModel

extension PrintEngine {
    /// That the machine's clock was set, for the health check.
    struct ClockJump: Hashable, Sendable {
        var by: Duration
        /// In the new time.
        var at: Timestamp
    }

    /// Takes over a clock that was set. Whatever waits keeps the time that it had left, and no printer is asked later
    /// than it would have been.
    func followClock() {
        let moved = clock.adopt()
        guard abs(moved.components.seconds) >= Self.smallestJump else { return }
        clockJump = ClockJump(by: moved, at: clock.now())
        clockMoves += moved
        logger.warning("\(clockWords(moved)); jobs keep the time that they had left")
        schedule.move(by: moved)
        board.moveExpiry(by: moved)
        for id in contactTimes.keys { contactTimes[id] = contactTimes[id]?.advanced(by: moved) }
        for (id, entry) in active where !entry.isSettling { active[id]?.record.life.clockMoved(by: moved) }
        let now = clock.now()
        store.commits.enqueue { db in
            try JobStore.moveTimes(by: moved, at: now, in: db)
        } completion: { [weak self] result in
            guard case .failure(let error as EngineError) = result, let self else { return }
            Task { await self.noteStorage(error) }
        }
        alarm.ring()
    }

    /// A record that was set aside when the moves of the clock came to this sum, in the time of now.
    func inPresentTime(_ record: JobRecord, since moves: Duration) -> JobRecord {
        guard moves != clockMoves else { return record }
        var record = record
        record.life.clockMoved(by: clockMoves - moves)
        return record
    }

    /// Jobs that were taken in a time that is yet to come: the clock was set back while nothing ran. They begin to wait
    /// now.
    func rebased(_ records: [JobRecord]) -> [JobRecord] {
        let now = clock.now()
        return records.map { record in
            let ahead = record.job.createdAt.millisecondsSince1970 - now.millisecondsSince1970
            guard ahead >= Self.smallestJump * 1000 else { return record }
            var record = record
            record.life.clockMoved(by: .milliseconds(-ahead))
            record.life.forgetWhenSent()
            return record
        }
    }

    var clockChecks: [HealthReport.Check] {
        guard let jump = clockJump, clock.now() < jump.at.advanced(bySeconds: Self.memoryOfJumps) else { return [] }
        return [
            .init(
                code: "clock-set", status: .warning,
                message:
                    "\(clockWords(jump.by)) at \(jump.at); jobs keep the time that they had left. See that the time is synchronised before kioskd starts"
            )
        ]
    }

    private func clockWords(_ moved: Duration) -> String {
        let seconds = moved.components.seconds
        return "the machine's clock was set \(seconds < 0 ? "back" : "forward") by \(abs(seconds)) s"
    }

    /// In seconds: what time synchronisation makes up for without setting the clock is none of it.
    private static let smallestJump: Int64 = 2
    /// In seconds.
    private static let memoryOfJumps = 3600
}
