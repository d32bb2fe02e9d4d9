import Testing

@testable import KioskEngine

/// The retries of jobs whose documents could not be prepared, and the delays between them.
@Suite struct PreparationRetriesTests {
    @Test func `a job waits longer with each failure in a row, and others wait for themselves`() {
        var retries = PreparationRetries()
        let first = retries.noteFailure(of: 1)
        #expect(first.isFirst && first.delay == .milliseconds(500))
        #expect(retries.begin(1) == true)
        let second = retries.noteFailure(of: 1)
        #expect(!second.isFirst && second.delay == .seconds(1))
        #expect(retries.noteFailure(of: 2).delay == .milliseconds(500))
    }

    @Test func `a job is tried once for each failure, and not at all once it is final`() {
        var retries = PreparationRetries()
        _ = retries.noteFailure(of: 1)
        #expect(retries.begin(1) == true)
        #expect(retries.begin(1) == false)
        _ = retries.noteFailure(of: 1)
        retries.forget(1)
        #expect(retries.begin(1) == false)
        #expect(retries.noteFailure(of: 1).isFirst == true)
    }

    @Test func `a document that was prepared lets those go that wait, in order`() {
        var retries = PreparationRetries()
        for job in [3, 1, 2] as [Int64] { _ = retries.noteFailure(of: job) }
        #expect(retries.begin(2) == true)
        #expect(retries.noteSuccess(of: 2) == [1, 3])
        #expect(retries.noteFailure(of: 2).isFirst == true)
    }

    @Test(arguments: [(0, 100), (1, 200), (6, 6400), (7, 10_000), (1000, 10_000)])
    func `a delay doubles up to its maximum`(failures: Int, milliseconds: Int) {
        let delay = ExponentialBackoff(first: .milliseconds(100), maximum: .seconds(10))
        #expect(delay.after(failures) == .milliseconds(milliseconds))
    }
}
