import Logging
import PrintModel

/// Damage of the queue that is found while the engine runs.
extension PrintEngine {
    /// Whether jobs may be sent to printers.
    var mayBegin: Bool { isRunning && !isShuttingDown && !isLeavingDamage }

    /// Throws once damage was found and every document under way has arrived, or has taken too long. Printers can then
    /// be asked about the jobs that they took whole. Returns when the task is cancelled.
    func endWhenDamaged() async throws {
        guard let pause = configuration.damagePause else { return }
        await damageAlarm.wait()
        guard !Task.isCancelled, let problem = storageProblem else { return }
        do {
            try await clock.sleep(pause)
            isLeavingDamage = true
            let start = ContinuousClock.now
            while start.duration(to: .now) < Self.longestDelivery,
                active.values.contains(where: \.record.stage.isOnItsWay)
            {
                try await clock.sleep(Self.deliveryInterval)
            }
        } catch {
            return
        }
        logger.notice("the engine ends, so that the next start recovers the queue")
        throw problem
    }

    /// The time that a document under way gets; one that takes longer is cut off, and its printer is asked about it.
    private static let longestDelivery = Duration.seconds(30)
    private static let deliveryInterval = Duration.milliseconds(20)

    /// Checks a queue that was trusted at the start because the last process closed it, while jobs are already taken
    /// and printed. Checks again each hour, and after a failure that damage may have caused, until the task is
    /// cancelled.
    func lookForDamage() async {
        guard configuration.damagePause != nil else { return }
        if isQueueChecked { await suspicion() }
        while !Task.isCancelled {
            do {
                try await store.look(in: configuration.stateDirectory)
            } catch let error as EngineError where error.code == .storageDamaged {
                return noteStorage(error)
            } catch is CancellationError {
                return
            } catch {
                logger.debug("the queue cannot be looked at: \(error)")
            }
            do { try await clock.sleep(Self.shortestLookInterval) } catch { return }
            await suspicion()
        }
    }

    private func suspicion() async {
        let reminder = Task { [clock, suspicionAlarm] in
            do { try await clock.sleep(Self.lookInterval) } catch { return }
            suspicionAlarm.ring()
        }
        await suspicionAlarm.wait()
        reminder.cancel()
    }

    private static let shortestLookInterval = Duration.seconds(5)
    private static let lookInterval = Duration.seconds(3600)

    /// Stores what is known of the jobs in memory, which may be more than can be read from a damaged queue.
    func rememberJobs() async {
        guard storageProblem?.code == .storageDamaged else { return }
        let jobs = active.values.map { JobStore.RememberedJob(record: $0.record, document: $0.document) }
        let (files, now) = (QueueFiles(folder: configuration.stateDirectory), clock.now())
        do {
            try await spool.blocking { try JobStore.remember(jobs, in: files, at: now) }
        } catch {
            logger.error(
                "what is known of \(jobs.count) jobs cannot be kept for the next start, which has to read them from the damaged queue: \(error)"
            )
        }
    }
}
