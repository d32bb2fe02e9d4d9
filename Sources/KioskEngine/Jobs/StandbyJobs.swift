package import KioskPrintModel

/// What a pair of kiosks that mirror jobs asks of the engine.
extension PrintEngine {
    /// Tells this queue from any other, also from one that takes its place and counts from 1 again.
    package nonisolated var queueName: String { marker }

    /// Cancels a job that another kiosk has taken over, as far as nothing is done with it here: while it waits, is held
    /// or is in doubt. `remark` says where it is. Returns whether it was canceled. Throws as `cancel` does.
    package func giveUp(_ id: Int64, remark: String) async throws -> Bool {
        guard let active = jobs[id], !active.isSettling else { return false }
        switch active.stage {
        case .waiting, .held, .doubtful, .unwatched: break
        case .routed, .contacting, .sending, .following, .found, .done: return false
        }
        guard !active.record.isCancelRequested else { return false }
        active.remark([remark])
        _ = try await cancel(id)
        return true
    }

    /// Whether a job of these roles is not final.
    package func hasOpenJobs(of roles: Set<RoleName>) -> Bool {
        jobs.all.contains { job in job.job.role.map(roles.contains) ?? false }
    }

    /// The open jobs of these roles, by number.
    package func openJobs(of roles: Set<RoleName>) -> [Job] {
        jobs.all.map(\.job).filter { $0.role.map(roles.contains) ?? false }.sorted { $0.id < $1.id }
    }
}
