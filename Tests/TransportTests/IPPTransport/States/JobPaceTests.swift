import PrintModel
import Testing

@testable import IPP

@Suite struct JobPaceTests {
    @Test func `a printer never seen is asked at once`() {
        #expect(JobPace().firstPause == .zero)
    }

    @Test func `a new job is left alone for most of the usual time`() {
        var pace = JobPace()
        pace.jobEnded(after: .milliseconds(4))
        #expect(pace.firstPause == .milliseconds(3))
    }

    @Test func `shorter jobs count at once, longer ones slowly, long ones not at all`() {
        var pace = JobPace()
        pace.jobEnded(after: .milliseconds(16))
        pace.jobEnded(after: .milliseconds(32))
        #expect(pace.firstPause == .microseconds(12_750))
        pace.jobEnded(after: .seconds(30))
        #expect(pace.firstPause == .microseconds(12_750))
        pace.jobEnded(after: .milliseconds(4))
        #expect(pace.firstPause == .milliseconds(3))
    }

    @Test func `the end is known within 50 ms whatever was usual`() {
        var pace = JobPace()
        pace.jobEnded(after: .milliseconds(200))
        #expect(pace.firstPause <= .milliseconds(40))
    }

    @Test func `only the newest job is left alone, and once`() {
        let knowledge = PrinterKnowledge()
        knowledge.jobEnded(after: .milliseconds(4))
        let (old, new) = (RemoteJob(identifier: "1"), RemoteJob(identifier: "2"))
        knowledge.accepted(new)
        #expect(knowledge.firstPause(of: old) == .zero)
        #expect(knowledge.firstPause(of: new) == .milliseconds(3))
        #expect(knowledge.firstPause(of: new) == .zero)
    }
}
