import KioskIPPCodec
import KioskPrintModel
import Testing

@testable import KioskIPP

@Suite struct JobSearchTests {
    /// Sent 100 s ago to a printer that is on for 1000 s: at its second 900.
    private let search = JobSearch(jobID: "k1", secondsSinceSent: 100, upTime: 1000)

    private func job(_ id: Int32, _ name: String?, at time: Int32?) -> IPPGroup {
        var group = IPPGroup(.job, [IPPAttribute("job-id", .integer(id))])
        if let name { group.append(IPPAttribute("job-name", .name(IPPText(name)))) }
        if let time { group.append(IPPAttribute("time-at-creation", .integer(time))) }
        return group
    }

    private func isUnknown(_ verdict: JobSearch.Verdict) -> Bool {
        if case .unknown = verdict { true } else { false }
    }

    @Test func `finds a job by its id, whole`() {
        let jobs = [job(1, "k10 Receipt", at: 905), job(2, "xk1", at: 906), job(3, "k1 Receipt", at: 907)]
        #expect(search.judge(waiting: jobs, ended: []) == .found(RemoteJob(identifier: "3")))
        #expect(search.judge(waiting: [], ended: jobs) == .found(RemoteJob(identifier: "3")))
    }

    @Test func `a history that reaches back further proves absence`() {
        #expect(search.judge(waiting: [], ended: [job(1, "k0 Receipt", at: 800)]) == .absent)
    }

    @Test(arguments: [[], [950], [899]])
    func `a history that does not reach back proves nothing`(times: [Int32]) {
        let ended = times.map { job($0, "k0 Receipt", at: $0) }
        #expect(isUnknown(search.judge(waiting: [], ended: ended)))
    }

    @Test func `of a printer that is known to forget its jobs no history is proof`() {
        var search = search
        search.lacksJobHistory = true
        let history = [job(1, "k0 Receipt", at: 800)]
        #expect(
            search.judge(waiting: [], ended: history)
                == .unknown("the printer forgets its jobs as soon as they have ended", isUnanswerable: true))
        #expect(search.judge(waiting: [job(2, "k1 Receipt", at: 905)], ended: history) != .absent)
    }

    @Test func `a waiting job proves nothing of the history`() {
        #expect(isUnknown(search.judge(waiting: [job(1, "k0", at: 800)], ended: [])))
    }

    @Test func `a hidden name may be ours`() {
        let ended = [job(2, nil, at: 901), job(1, "k0", at: 800)]
        #expect(isUnknown(search.judge(waiting: [], ended: ended)))
    }

    @Test(arguments: [
        JobSearch(jobID: "k1", secondsSinceSent: nil, upTime: 1000),
        JobSearch(jobID: "k1", secondsSinceSent: 100, upTime: nil),
        JobSearch(jobID: "k1", secondsSinceSent: 100, upTime: 50),
    ])
    func `without times, or after a restart, absence is not proof`(search: JobSearch) {
        #expect(isUnknown(search.judge(waiting: [], ended: [job(1, "k0", at: 1)])))
    }

    @Test func `a job's name keeps its id and ends on a character`() {
        let name = JobName.make(
            Delivery(
                jobID: "k1", name: String(repeating: "é", count: 200) + "\n", ticket: Ticket(),
                document: PrintDocument(format: .pdf, body: .bytes([]))))
        #expect(name.hasPrefix("k1 é"))
        #expect((254...255).contains(name.utf8.count))
        #expect(JobName.matches(name, jobID: "k1"))
        #expect(!JobName.matches(name, jobID: "k"))
    }
}
