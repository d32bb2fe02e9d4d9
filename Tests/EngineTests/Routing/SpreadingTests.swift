import KioskPrintModel
import Testing

@testable import KioskEngine

@Suite struct SpreadingTests {
    private let first = PrinterID.test("till-1")
    private let second = PrinterID.test("till-2")
    private let third = PrinterID.test("till-3")

    /// Three receipt printers, all ready, and a role that spreads over them.
    private func board() -> DispatchBoard {
        var board = DispatchBoard()
        board.configure(
            printers: [.test("till-1"), .test("till-2"), .test("till-3")],
            roles: [Role(name: .test("receipt"), printers: [third, first, second], policy: .leastBusy)])
        for id in [first, second, third] { board.printer(id, is: Availability(.ready), described: .receiptPrinter) }
        return board
    }

    private func pinned(_ id: Int64, to printer: PrinterID) -> WaitingJob {
        WaitingJob(id: id, destination: .printer(printer), format: .plainText, priority: 50, expiresAt: .distantFuture)
    }

    @Test func `every free printer gets a job, the role's first choice first`() {
        var board = board()
        #expect(board.claim(for: .test(0)) == third)
        #expect(board.claim(for: .test(0)) == first)
        #expect(board.claim(for: .test(0)) == second)
        #expect(board.claim(for: .test(0)) == nil)
    }

    @Test func `whichever printer is free takes the next job, and order stays`() {
        var board = board()
        for id in 1...6 as ClosedRange<Int64> { board.add(.test(id)) }
        var given = board.assignments()
        #expect(
            Set(given) == [
                .deliver(job: 1, printer: first), .deliver(job: 2, printer: second), .deliver(job: 3, printer: third),
            ])
        board.finished(2, on: second)
        given = board.assignments()
        #expect(given == [.deliver(job: 4, printer: second)])
        board.finished(4, on: second)
        board.finished(1, on: first)
        #expect(board.assignments() == [.deliver(job: 5, printer: first), .deliver(job: 6, printer: second)])
    }

    @Test func `counts what is on a printer and what waits for it alone before the job`() {
        var board = board()
        board.add(pinned(1, to: third))
        board.add(pinned(9, to: first))
        #expect(board.choice(for: .test(5)) == .printer(first))
        #expect(board.choice(for: .test(10)) == .printer(second))
        board.addResumption(of: 2, on: second)
        board.addResumption(of: 3, on: second)
        #expect(board.choice(for: .test(10)) == .printer(third))
        #expect(board.assignments().contains(.deliver(job: 1, printer: third)))
        board.add(pinned(4, to: third))
        #expect(board.choice(for: .test(10)) == .printer(first))
    }

    @Test func `a printer with jobs of its own does not keep the role's waiting beyond their turn`() {
        var board = board()
        for id in [first, second] { board.printer(id, is: Availability(.stopped)) }
        board.add(.test(2))
        for id in [1, 3, 4] as [Int64] { board.add(pinned(id, to: third)) }
        var order: [Int64] = []
        while case .deliver(let job, _)? = board.nextAssignment(for: third) {
            order.append(job)
            board.finished(job, on: third)
        }
        #expect(order == [1, 2, 3, 4])
    }

    @Test func `passes over what is not available, does not suit or refused the job, and waits for nobody's answer`() {
        var board = board()
        board.printer(third, is: .unknown)
        board.printer(first, is: Availability(.ready), described: .labelPrinter)
        #expect(board.choice(for: .test(1)) == .printer(second))
        var job = WaitingJob.test(1)
        job.refusedBy = [second]
        #expect(board.choice(for: job) == .undecided)
        board.printer(third, is: Availability(.unreachable))
        #expect(board.choice(for: job) == .none)
        board.add(job)
        #expect(board.assignments() == [])
        board.printer(third, is: Availability(.ready))
        #expect(board.assignments() == [.deliver(job: 1, printer: third)])
    }
}
