import KioskPrintModel
import Testing

@testable import KioskIPP

/// What is learned from one job for the next.
@Suite struct PrinterKnowledgeTests {
    @Test func `the newest job is first polled when it is about to end, whatever the engine knows of it`() {
        let knowledge = PrinterKnowledge()
        knowledge.jobEnded(after: .milliseconds(4))
        knowledge.accepted(RemoteJob(identifier: "7"))
        var job = RemoteJob(identifier: "7")
        job.origin = RemoteJob.Origin(user: "till")
        #expect(knowledge.firstPause(of: RemoteJob(identifier: "6")) == .zero)
        #expect(knowledge.firstPause(of: job) == .milliseconds(3))
        #expect(knowledge.firstPause(of: job) == .zero, "it was polled already")
    }
}
