import DurableFiles
import Logging
public import PrintModel
import PrinterRegistry

extension PrintEngine {
    /// Puts the history within its bounds now and then, and sooner after much was printed, until the task is cancelled.
    func historyLoop() async {
        while !Task.isCancelled {
            finishedJobs = 0
            finishedBytes = 0
            do {
                try await trimHistory()
            } catch is CancellationError {
                return
            } catch {
                if let error = error as? EngineError {
                    noteStorage(error)
                } else {
                    logger.error("the history could not be trimmed: \(error)")
                }
                // The disk that failed may have rung, and would at once again.
                do { try await clock.sleep(Self.storageRetryInterval) } catch { return }
            }
            let reminder = Task { [clock, historyAlarm] in
                // Cancelled, it does not ring: the loop is awake.
                do { try await clock.sleep(Self.trimInterval) } catch { return }
                historyAlarm.ring()
            }
            await historyAlarm.wait()
            reminder.cancel()
        }
    }

    private static let trimInterval = Duration.seconds(60)
    /// So much more than its bounds the history may hold before it is looked at sooner.
    private static let finishedJobsBound = 256
    private static let finishedBytesBound: Int64 = 16_000_000

    /// A job's end is on disk.
    func noteFinal(_ record: JobRecord) {
        finishedJobs += 1
        finishedBytes += record.job.documentLength
        let leavesFile = record.documentFile != nil && retention(of: record.job.role).effectiveDocuments == 0
        guard leavesFile || finishedJobs >= Self.finishedJobsBound || finishedBytes >= Self.finishedBytesBound else {
            return
        }
        historyAlarm.ring()
    }

    /// How long jobs of a role are kept; the standard for jobs without one, and for roles that are gone.
    func retention(of role: RoleName?) -> Retention {
        role.flatMap { snapshot.role($0) }?.keep ?? Retention()
    }

    /// Gives up what is past its role's bounds and the engine's own, in batches of their own commits.
    func trimHistory() async throws {
        let now = clock.now()
        for role in try await store.rolesOfHistory() {
            let keep = retention(of: role.flatMap(RoleName.init(rawValue:)))
            // None kept: what became final in this very millisecond goes too.
            let documentLimit =
                keep.effectiveDocuments == 0
                ? Timestamp(millisecondsSince1970: .max) : now.advanced(bySeconds: -keep.effectiveDocuments)
            try await giveUpPages { try await $0.documents(of: role, finalBefore: documentLimit) }
            try await giveUpPages { try await $0.documents(of: .some(role), beyond: keep.effectiveSize) }
            let jobLimit = now.advanced(bySeconds: -keep.effectiveJobs)
            try await giveUpPages(jobs: true) { try await $0.jobs(of: role, finalBefore: jobLimit, at: now) }
        }
        let (size, count) = (configuration.keptDocumentBytes, configuration.historyLength)
        try await giveUpPages { try await $0.documents(beyond: size) }
        try await makeRoom()
        try await giveUpPages(jobs: true) { try await $0.jobs(beyond: count, at: now) }
    }

    /// Where the disk is about to be full, jobs to come are worth more than documents of old ones: the oldest go, until
    /// there is room or none is left.
    private func makeRoom() async throws {
        while !isShuttingDown {
            let folder = configuration.stateDirectory
            let free = try await spool.blocking { try FileSystemState(of: folder).freeBytes }
            // Pages of the queue that are free are used before the file grows.
            guard try await free + store.freeBytes() < Self.leastFreeBytes else { return }
            let ids = try await store.oldestDocuments()
            guard !ids.isEmpty else { return }
            let files = try await store.giveUp(ids, jobs: false)
            try await spool.removeNow(files)
            logger.info("the disk is almost full: the documents of \(ids.count) final jobs are given up")
        }
    }

    private func giveUpPages(jobs: Bool = false, _ page: (JobStore) async throws -> [Job.ID]) async throws {
        while !isShuttingDown {
            let ids = try await page(store)
            guard !ids.isEmpty else { return }
            for start in stride(from: 0, to: ids.count, by: JobStore.trimBatch) {
                let batch = Array(ids[start..<min(start + JobStore.trimBatch, ids.count)])
                for file in try await store.giveUp(batch, jobs: jobs) { spool.remove(file) }
            }
            guard ids.count == JobStore.trimPage else { return }
        }
    }

    // MARK: One job's

    /// Every step of a job, with its times and evidence. Throws `job-not-found`.
    public func timeline(of id: Int64) async throws -> JobTimeline {
        let job = try await job(id)
        let stored = try await noting { try await $0.steps(of: id) }
        if let damage = stored.damage { noteStorage(damage) }
        let accepted = JobStep(.accepted, at: job.createdAt, job: job.origin)
        return JobTimeline(
            job: id, steps: [accepted] + stored.steps + [job.lastStep].compactMap { $0 },
            omitted: stored.omitted > 0 ? stored.omitted : nil
        )
    }
}

extension Job {
    /// How it ended; nil before.
    fileprivate var lastStep: JobStep? {
        let kind: JobStep.Kind
        switch state {
        case .completed: kind = .completed
        case .canceled: kind = .canceled
        case .aborted: kind = .aborted
        case .pending, .pendingHeld, .processing, .processingStopped: return nil
        }
        return JobStep(
            kind, at: completedAt ?? createdAt, printer: printer, evidence: evidence,
            message: message ?? (stateReasons.isEmpty ? nil : stateReasons.joined(separator: " "))
        )
    }
}
