import KioskAPI
import KioskEngine
import KioskFleet
import KioskFleetAgent
import KioskPrintModel

/// The engine as the fleet's agent sees it.
struct EngineKiosk: FleetKiosk {
    private let engine: PrintEngine
    private let report: @Sendable () async -> HealthReport

    init(_ engine: PrintEngine, health: @escaping @Sendable () async -> HealthReport) {
        (self.engine, report) = (engine, health)
    }

    func accept(
        _ job: FleetJob, age: @escaping @Sendable () -> Int,
        document: @escaping @Sendable (_ append: ([UInt8]) async throws -> Void) async throws -> Void
    ) async throws -> JobAcceptance {
        do {
            var request = JobRequest(
                role: job.role, name: job.name, format: job.format, ticket: try ticket(of: job),
                idempotencyKey: job.idempotencyKey, caller: JobRequest.fleetCaller, rights: .rawDocuments)
            request.age = age()
            try await engine.check(request)
            let intake = engine.makeIntake(for: request)
            let received: ReceivedDocument
            do {
                try await document { try await intake.append($0) }
                received = try await intake.finish()
                request.age = age()
            } catch {
                await intake.discard()
                throw error
            }
            // What has come this far is not given up halfway.
            return .accepted(try await Task { [request] in try await engine.submit(request, document: received) }.value)
        } catch let error as EngineError {
            switch error.code {
            case .storageFull, .storageFailed, .storageReadOnly, .storageDamaged:
                return .notStored(reason: error.message)
            case .tooManyJobs, .shuttingDown: return .later(reason: error.message)
            // The same job would be refused again.
            default: return .refused(.init(code: error.code.rawValue, message: error.message))
            }
        } catch let problem as Problem {
            return .refused(.init(code: problem.code.rawValue, message: problem.detail ?? problem.title))
        }
    }

    private func ticket(of job: FleetJob) throws -> Ticket {
        var ticket = try job.ticket.map { try APIJSON.decode(Ticket.self, from: Array($0.utf8)) } ?? Ticket()
        if let expiresAfter = job.expiresAfter { ticket.expiresAfter = expiresAfter }
        return ticket
    }

    func cancel(_ id: Job.ID) async throws {
        do {
            _ = try await engine.cancel(id)
        } catch let error as EngineError where [.jobNotCancelable, .jobNotFound].contains(error.code) {
            // What is final stays so, and its report says how it ended.
            return
        }
    }

    func job(_ id: Job.ID, of key: JobKey) async throws -> Job? { try await engine.job(id, of: key) }

    func job(underKey key: String) async throws -> Job? {
        try await engine.job(underKey: key, of: JobRequest.fleetCaller)
    }

    func watchChanges(
        begin: () async throws -> Void, take: (Job) async throws -> Void
    ) async throws {
        let events = engine.events()
        try await begin()
        for await event in events where event.kind != .jobProgress {
            guard event.kind != .resync else { return }
            if let job = event.job { try await take(job) }
        }
    }

    func health() async throws -> HealthReport { await report() }
}

extension PrintEngine {
    /// A fleet's job as it is now; nil where this number has another one, or none.
    func job(_ id: Job.ID, of key: JobKey) async throws -> Job? {
        try await job(id, of: JobRequest.fleetCaller) { (try? JobKey(idempotencyKey: $0)) == key }
    }
}
