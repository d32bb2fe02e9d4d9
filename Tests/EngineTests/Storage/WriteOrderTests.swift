import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskEngine

/// Changes of one job that are made in the same moment reach the disk, and whoever watches, in their order.
@Suite struct WriteOrderTests {
    @Test func `a cancel is never overwritten by the mark that sending began`() async throws {
        let kiosk = try await TestKiosk()
        let events = kiosk.engine.events(after: 0)
        for round in 1...KioskTestSupport.rounds(100, long: 1000) {
            // Behind the first, which gets the printer as it is accepted, it is marked by itself.
            let engine = kiosk.engine
            let request = JobRequest(role: .test("held"), name: "round \(round)", format: .plainText)
            async let first = engine.submit(request, bytes: [65])
            async let second = engine.submit(request, bytes: [66])
            let jobs = try await [first, second]
            let job = jobs[0].id > jobs[1].id ? jobs[0] : jobs[1]
            try await engine.cancelOnceBegun(job.id)
            _ = try await kiosk.settled(job)
            let steps = try await kiosk.engine.timeline(of: job.id).steps
            #expect(steps.filter { $0.kind == .cancelRequested }.count <= 1, "round \(round): \(steps.map(\.kind))")
        }
        try await kiosk.stop()
        var canceling: Set<Job.ID> = []
        defer { #expect(!canceling.isEmpty, "none was canceled in time, and nothing is proven") }
        for await event in events {
            guard let job = event.job else { continue }
            if job.stateReasons.contains("processing-to-stop-point") { canceling.insert(job.id) }
            #expect(
                !canceling.contains(job.id) || !job.stateReasons.contains("job-outgoing"),
                "job \(job.id) goes back in time")
        }
    }
}

extension PrintEngine {
    /// In the first moment in which it could be.
    fileprivate func cancelOnceBegun(_ id: Job.ID) async throws {
        while jobs[id]?.stage == .waiting || jobs[id]?.stage == .routed { await Task.yield() }
        _ = try? await cancel(id)
    }
}
