import KioskPrintModel
import Testing

@testable import KioskEngine

@Suite struct DispatchBoardTests {
    private let first = PrinterID.test("till-1")
    private let second = PrinterID.test("till-2")
    private let receipts = Role(name: .test("receipt"), printers: [.test("till-1"), .test("till-2")])

    /// Two receipt printers, both ready, and the role that names them in order.
    private func board(roles: [Role]? = nil) -> DispatchBoard {
        var board = DispatchBoard()
        board.configure(printers: [.test("till-1"), .test("till-2")], roles: roles ?? [receipts])
        for id in [first, second] { board.printer(id, is: Availability(.ready), described: .receiptPrinter) }
        return board
    }

    @Test func `gives a job to the first candidate that is available`() {
        var board = board()
        board.add(.test(1))
        #expect(board.assignments() == [.deliver(job: 1, printer: first)])
    }

    @Test(arguments: [Availability.State.stopped, .unreachable])
    func `passes over a candidate that is not available`(state: Availability.State) {
        var board = board()
        board.printer(first, is: Availability(state))
        board.add(.test(1))
        #expect(board.assignments() == [.deliver(job: 1, printer: second)])
    }

    @Test(arguments: [Availability.State.ready, .busy, .attention])
    func `uses a printer that is ready, busy or wants looking after`(state: Availability.State) {
        var board = board()
        board.printer(first, is: Availability(state))
        board.add(.test(1))
        #expect(board.assignments() == [.deliver(job: 1, printer: first)])
    }

    /// A printer on USB says so before the first contact has come through.
    @Test(arguments: [false, true])
    func `a printer that says how it does is asked what it is before it gets what has to be made for it`(asks: Bool) {
        var board = DispatchBoard(preparation: ShoutingPreparation(asksWhatTheyAre: asks))
        board.configure(printers: [.test("till-1"), .test("till-2")], roles: [receipts])
        board.printer(first, is: Availability(.ready))
        board.printer(second, is: Availability(.ready), described: .receiptPrinter)
        board.add(.test(1, format: .receiptLine))
        #expect(board.assignments() == (asks ? [] : [.deliver(job: 1, printer: first)]))
        guard asks else { return }
        // What goes as it is goes at once; and who waits long goes elsewhere.
        board.add(.test(2))
        #expect(board.assignments() == [.deliver(job: 2, printer: first)])
        board.finished(2, on: first)
        var impatient = board
        impatient.noteOverdueResponse(of: first)
        #expect(impatient.assignments() == [.deliver(job: 1, printer: second)])
        board.printer(first, is: Availability(.ready), described: .receiptPrinter)
        #expect(board.assignments() == [.deliver(job: 1, printer: first)])
    }

    @Test func `keeps one job on a printer and lets the next wait for the first choice`() {
        var board = board()
        board.add(.test(1))
        board.add(.test(2))
        #expect(board.assignments() == [.deliver(job: 1, printer: first)])
        #expect(board.assignments() == [])
        board.finished(1, on: first)
        #expect(board.assignments() == [.deliver(job: 2, printer: first)])
    }

    @Test func `prints first in first out, higher priority before lower`() {
        var board = board()
        board.add(.test(1))
        board.add(.test(2))
        board.add(.test(3, priority: 80))
        var order: [Int64] = []
        while case .deliver(let job, _)? = board.nextAssignment(for: first) {
            order.append(job)
            board.finished(job, on: first)
        }
        #expect(order == [3, 1, 2])
    }

    @Test func `a job that came back takes its old place`() {
        var board = board()
        board.add(.test(2))
        board.add(.test(1))
        #expect(board.nextAssignment(for: first) == .deliver(job: 1, printer: first))
    }

    @Test func `waits for a candidate that has not answered, until its answer is overdue`() {
        var board = board()
        board.printer(first, is: .unknown)
        board.add(.test(1))
        #expect(board.choice(for: .test(1)) == .undecided)
        #expect(board.assignments() == [])
        board.noteOverdueResponse(of: first)
        #expect(board.assignments() == [.deliver(job: 1, printer: second)])
    }

    @Test func `never gives a job to a printer that does not do its type`() {
        var board = board()
        board.printer(first, is: Availability(.ready), described: .labelPrinter)
        board.add(.test(1))
        #expect(board.assignments() == [.deliver(job: 1, printer: second)])
    }

    @Test func `believes the admin's job types before the printer's own`() {
        var board = DispatchBoard()
        board.configure(
            printers: [.test("till-1", jobTypes: [.receipt])], roles: [Role(name: .test("receipt"), printers: [first])])
        board.printer(first, is: Availability(.ready), described: .labelPrinter)
        board.add(.test(1, format: .zpl))
        #expect(board.assignments() == [.deliver(job: 1, printer: first)])
    }

    @Test func `never gives a job to a printer that does not take its format`() {
        var board = board()
        board.add(.test(1, format: .pdf))
        #expect(board.choice(for: .test(1, format: .pdf)) == .impossible)
        #expect(board.assignments() == [])
    }

    @Test func `a job refused by one printer goes to the next, and by all to none`() {
        var board = board()
        var job = WaitingJob.test(1)
        job.refusedBy = [first]
        board.add(job)
        #expect(board.assignments() == [.deliver(job: 1, printer: second)])
        job.refusedBy = [first, second]
        #expect(board.choice(for: job) == .impossible)
    }

    @Test func `a blocked printer does not block another role`() {
        let labels = Role(name: .test("label"), printers: [second], jobType: .receipt)
        var board = board(roles: [Role(name: .test("receipt"), printers: [first]), labels])
        board.printer(first, is: Availability(.stopped))
        board.add(.test(1))
        board.add(.test(2, role: "label"))
        #expect(board.assignments() == [.deliver(job: 2, printer: second)])
    }

    @Test func `a job for one printer goes to no other`() {
        var board = board()
        board.printer(second, is: Availability(.unreachable))
        let job = WaitingJob(
            id: 1, destination: .printer(second), format: .plainText, priority: 50, expiresAt: .distantFuture
        )
        board.add(job)
        #expect(board.assignments() == [])
        board.printer(second, is: Availability(.ready))
        #expect(board.assignments() == [.deliver(job: 1, printer: second)])
    }

    @Test func `asks for jobs that a printer may have before it gets new ones`() {
        var board = board()
        board.add(.test(1))
        board.addResumption(of: 7, on: first)
        board.addResumption(of: 5, on: first)
        #expect(board.nextAssignment(for: first) == .resume(job: 5, printer: first))
        board.finished(5, on: first)
        #expect(board.nextAssignment(for: first) == .resume(job: 7, printer: first))
        board.finished(7, on: first)
        #expect(board.nextAssignment(for: first) == .deliver(job: 1, printer: first))
    }

    @Test func `asks a stopped printer for its job, but not one that cannot be reached`() {
        var board = board()
        board.addResumption(of: 5, on: first)
        board.printer(first, is: Availability(.unreachable))
        #expect(board.assignments() == [])
        board.printer(first, is: Availability(.stopped))
        #expect(board.assignments() == [.resume(job: 5, printer: first)])
    }

    @Test func `forgets what it knew of a printer whose URL changed`() {
        var board = board()
        board.configure(printers: [.test("till-1", host: "192.0.2.99"), .test("till-2")], roles: [receipts])
        #expect(board.printers[first]?.availability == .unknown)
        #expect(board.printers[first]?.description == nil)
        #expect(board.printers[second]?.availability.state == .ready)
    }

    @Test func `tells which jobs have expired`() {
        var board = board()
        var job = WaitingJob.test(1)
        job.expiresAt = Timestamp(millisecondsSince1970: 1000)
        board.add(job)
        board.add(.test(2))
        #expect(board.expired(at: Timestamp(millisecondsSince1970: 999)) == [])
        #expect(board.expired(at: Timestamp(millisecondsSince1970: 1000)) == [1])
        board.remove(1, from: job.destination)
        #expect(board.expired(at: Timestamp(millisecondsSince1970: 1000)) == [])
    }

    @Test func `a printer is wanted while a job waits that may go to it`() {
        var board = board()
        #expect(!board.isWanted(second))
        board.add(.test(1))
        #expect(board.isWanted(second))
        board.remove(1, from: .role(receipts.name))
        #expect(!board.isWanted(second))
        board.addResumption(of: 1, on: second)
        #expect(board.isWanted(second))
    }

    @Test func `keeps a free printer for a job that is being accepted`() {
        var board = board()
        #expect(board.claim(for: .test(0)) == first)
        board.add(.test(1))
        #expect(board.assignments() == [])
        board.settleClaim(on: first, for: 2)
        #expect(board.printers[first]?.current == 2)
        board.finished(2, on: first)
        #expect(board.assignments() == [.deliver(job: 1, printer: first)])
    }

    @Test func `gives a printer back that was kept for a job that was not accepted`() {
        var board = board()
        #expect(board.claim(for: .test(0)) == first)
        board.settleClaim(on: first, for: nil)
        board.add(.test(1))
        #expect(board.assignments() == [.deliver(job: 1, printer: first)])
    }

    @Test func `keeps no printer where another job comes first`() {
        var board = board()
        board.add(.test(1))
        #expect(board.claim(for: .test(0)) == nil)
        #expect(board.assignments() == [.deliver(job: 1, printer: first)])
        #expect(board.claim(for: .test(0)) == nil)
        board.finished(1, on: first)
        board.addResumption(of: 5, on: first)
        #expect(board.claim(for: .test(0)) == nil)
    }
}
