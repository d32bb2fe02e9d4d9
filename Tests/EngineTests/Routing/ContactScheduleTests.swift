import KioskPrintModel
import Testing

@testable import KioskEngine

@Suite struct ContactScheduleTests {
    private let printer = PrinterID.test("till-1")
    private let configuration = EngineConfiguration(stateDirectory: "/nowhere")

    private func at(_ milliseconds: Int64) -> Timestamp { Timestamp(millisecondsSince1970: milliseconds) }

    private func schedule() -> ContactSchedule {
        var schedule = ContactSchedule()
        schedule.keep([printer], at: at(0))
        return schedule
    }

    @Test func `contacts a new printer at once, and not again while the contact runs`() {
        var schedule = schedule()
        #expect(schedule.due(at: at(0)) == [printer])
        schedule.begun(printer)
        #expect(schedule.due(at: at(1_000_000)) == [])
    }

    @Test func `contacts an available printer now and then`() {
        var schedule = schedule()
        schedule.ended(printer, at: at(0), .init(isAvailable: true, isWanted: false), configuration: configuration)
        #expect(schedule.next == at(20_000))
    }

    @Test func `contacts a printer about once a second while somebody looks on`() {
        var schedule = schedule()
        let circumstances = ContactSchedule.Circumstances(isAvailable: true, isWanted: false)
        schedule.ended(printer, at: at(0), circumstances, configuration: configuration)
        schedule.watch(true, at: at(1000), configuration: configuration)
        #expect(schedule.next == at(1700))
        schedule.ended(printer, at: at(1800), circumstances, configuration: configuration)
        #expect(schedule.next == at(2500))
        // A job that went through says nothing of the paper that it used up.
        schedule.worked(printer, at: at(2400), configuration: configuration)
        #expect(schedule.next == at(3100))
        schedule.watch(false, at: at(3100), configuration: configuration)
        schedule.ended(printer, at: at(3200), circumstances, configuration: configuration)
        #expect(schedule.next == at(23_200))
    }

    @Test func `looking on hastens no printer that does not allow it, and none that is held back`() {
        var schedule = schedule()
        let slow = ContactSchedule.Circumstances(isAvailable: true, isWanted: false, allowsFrequentContacts: false)
        schedule.watch(true, at: at(0), configuration: configuration)
        schedule.ended(printer, at: at(0), slow, configuration: configuration)
        #expect(schedule.next == at(20_000))
        schedule.watch(true, at: at(1000), configuration: configuration)
        #expect(schedule.next == at(20_000))
        var refused = self.schedule()
        refused.ended(
            printer, at: at(0), .init(isAvailable: false, isWanted: false, pace: .rare), configuration: configuration)
        refused.watch(true, at: at(1000), configuration: configuration)
        #expect(refused.next == at(120_000))
    }

    @Test func `a silent printer and one that asks to be left alone are asked less often, whoever looks on`() {
        var schedule = schedule()
        schedule.watch(true, at: at(0), configuration: configuration)
        for _ in 0..<7 {
            schedule.ended(
                printer, at: at(0), .init(isAvailable: false, isWanted: false, responded: false),
                configuration: configuration)
        }
        #expect(schedule.next == at(3500))
        schedule.ended(
            printer, at: at(4000), .init(isAvailable: true, isWanted: false, retryAfter: .seconds(30)),
            configuration: configuration)
        schedule.watch(true, at: at(5000), configuration: configuration)
        #expect(schedule.next == at(34_000))
    }

    @Test func `many printers that are looked at are asked 20 times a second in all`() {
        var schedule = ContactSchedule()
        let printers = (0..<100).map { PrinterID.test("till-\($0)") }
        schedule.keep(Set(printers), at: at(0))
        schedule.watch(true, at: at(0), configuration: configuration)
        for printer in printers {
            schedule.ended(printer, at: at(0), .init(isAvailable: true, isWanted: false), configuration: configuration)
        }
        #expect(schedule.next == at(5000))
    }

    @Test func `contacts a printer that jobs wait for twice in a second`() {
        var schedule = schedule()
        for _ in 0..<20 {
            schedule.ended(printer, at: at(0), .init(isAvailable: false, isWanted: true), configuration: configuration)
        }
        #expect(schedule.next == at(400))
    }

    @Test func `asks a printer that nobody wants ever more rarely`() {
        var schedule = schedule()
        var times: [Timestamp?] = []
        for _ in 0..<7 {
            schedule.ended(printer, at: at(0), .init(isAvailable: false, isWanted: false), configuration: configuration)
            times.append(schedule.next)
        }
        #expect(times == [1, 2, 4, 8, 16, 20, 20].map { at($0 * 1000) })
    }

    @Test func `hastens when a job begins to wait, but never delays`() {
        var schedule = schedule()
        schedule.ended(printer, at: at(0), .init(isAvailable: true, isWanted: false), configuration: configuration)
        schedule.hasten(printer, at: at(1000), configuration: configuration)
        #expect(schedule.next == at(1400))
        schedule.hasten(printer, at: at(1200), configuration: configuration)
        #expect(schedule.next == at(1400))
    }

    @Test func `asks a printer that may not be used at leisure, whoever waits for it`() {
        var schedule = schedule()
        schedule.ended(
            printer, at: at(0), .init(isAvailable: false, isWanted: true, pace: .slow), configuration: configuration)
        schedule.hasten(printer, at: at(0), configuration: configuration)
        schedule.contactNow(printer, at: at(0))
        #expect(schedule.next == at(5000))
        schedule.forgive(printer)
        schedule.contactNow(printer, at: at(10))
        #expect(schedule.next == at(10))
    }

    @Test func `asks a printer that answers in vain ever more rarely, up to every five seconds`() {
        var schedule = schedule()
        var times: [Timestamp?] = []
        for _ in 0..<7 {
            schedule.ended(
                printer, at: at(0), .init(isAvailable: false, isWanted: true, pace: .growing),
                configuration: configuration)
            // One job more that waits is no reason to ask sooner.
            schedule.hasten(printer, at: at(0), configuration: configuration)
            times.append(schedule.next)
        }
        #expect(times == [400, 800, 1600, 3200, 5000, 5000, 5000].map { at($0) })
        // What a person mends is seen as soon as ever.
        schedule.ended(printer, at: at(0), .init(isAvailable: false, isWanted: true), configuration: configuration)
        #expect(schedule.next == at(400))
    }

    @Test func `makes seven contacts in twenty seconds with a service that is no printer`() {
        var schedule = schedule()
        var (contacts, now) = (0, at(0))
        while now <= at(20_000) {
            contacts += 1
            schedule.ended(
                printer, at: now, .init(isAvailable: false, isWanted: true, pace: .growing),
                configuration: configuration)
            now = schedule.next ?? at(.max)
        }
        #expect(contacts == 7)
    }

    @Test func `leaves a printer alone that asks for it, up to a minute`() {
        var schedule = schedule()
        for (wanted, expected) in [(7, 7000), (3600, 60_000), (0, 1600)] as [(Int, Int64)] {
            schedule.ended(
                printer, at: at(0),
                .init(
                    isAvailable: false, isWanted: true, pace: .growing, retryAfter: .seconds(wanted)),
                configuration: configuration)
            #expect(schedule.next == at(expected))
        }
    }

    @Test(arguments: [
        (TransportError.Code.protocolViolation, Obstacle.Pace.growing), (.printerNotFound, .growing),
        (.printerBusy, .growing), (.printerFailed, .growing), (.connectionRefused, .usual), (.timedOut, .usual),
        (.hostNotFound, .usual),
    ])
    func `only what answers is asked more rarely`(code: TransportError.Code, pace: Obstacle.Pace) {
        #expect(Obstacle.Pace(after: code) == pace)
    }

    @Test func `a printer that takes no jobs is asked more rarely, unless somebody has to come to it anyway`() {
        func pace(_ state: Availability.State, _ keywords: String...) -> Obstacle.Pace {
            Obstacle.Pace(of: Availability(state, reasons: keywords.map { StateReason(keyword: $0, severity: .error) }))
        }
        #expect(pace(.stopped, "not-accepting-jobs") == .growing)
        #expect(pace(.stopped, "media-empty") == .usual)
        #expect(pace(.stopped, "not-accepting-jobs", "media-empty") == .usual)
        #expect(pace(.stopped) == .usual)
        #expect(pace(.ready) == .usual)
    }

    @Test func `tries a refused login ever more rarely, even where contacts need none`() {
        var schedule = schedule()
        var times: [Timestamp?] = []
        for _ in 0..<6 {
            schedule.ended(printer, at: at(0), .init(isAvailable: true, isWanted: true), configuration: configuration)
            schedule.holdBack(printer, at: at(0), .rare, configuration: configuration)
            times.append(schedule.next)
        }
        #expect(times == [120, 240, 480, 960, 1800, 1800].map { at($0 * 1000) })
    }

    @Test func `has nothing due of a printer while it is contacted, whatever a job learns meanwhile`() {
        var schedule = schedule()
        schedule.begun(printer)
        schedule.holdBack(printer, at: at(0), .slow, configuration: configuration)
        #expect(schedule.next == nil)
        #expect(schedule.due(at: at(1_000_000)) == [])
        schedule.ended(printer, at: at(6000), .init(isAvailable: true, isWanted: false), configuration: configuration)
        #expect(schedule.next == at(26_000))
    }

    @Test func `asks again at once where a contact was about the printer as it was`() {
        var schedule = schedule()
        schedule.begun(printer)
        schedule.forgive(printer)
        schedule.abandoned(printer)
        schedule.contactNow(printer, at: at(7))
        #expect(schedule.due(at: at(7)) == [printer])
    }

    @Test func `forgets removed printers`() {
        var schedule = schedule()
        schedule.keep([], at: at(0))
        #expect(schedule.next == nil)
        schedule.ended(printer, at: at(0), .init(isAvailable: true, isWanted: false), configuration: configuration)
        #expect(schedule.next == nil)
    }

    @Test func `asks soon again whoever was silent once`() {
        var schedule = schedule()
        schedule.ended(
            printer, at: at(0), .init(isAvailable: true, isWanted: false, isInDoubt: true), configuration: configuration
        )
        #expect(schedule.next == at(1000))
    }

    @Test(arguments: [(0.0, 18_000), (1.0, 22_000)] as [(Double, Int64)])
    func `lets printers fall out of step`(spread: Double, next: Int64) {
        var schedule = schedule()
        schedule.ended(
            printer, at: at(0), .init(isAvailable: true, isWanted: false, spread: spread), configuration: configuration)
        #expect(schedule.next == at(next))
    }

    @Test func `asks each of many printers more rarely, and those that jobs wait for as ever`() {
        var schedule = ContactSchedule()
        let printers = (1...1000).map { PrinterID.test("till-\($0)") }
        schedule.keep(Set(printers), at: at(0))
        for printer in printers {
            schedule.ended(printer, at: at(0), .init(isAvailable: true, isWanted: false), configuration: configuration)
        }
        #expect(schedule.next == at(200_000))
        schedule.ended(printers[7], at: at(0), .init(isAvailable: false, isWanted: true), configuration: configuration)
        #expect(schedule.next == at(400))
    }

    @Test func `takes a job that went through for a contact, but not for ever`() {
        var schedule = schedule()
        schedule.ended(printer, at: at(0), .init(isAvailable: true, isWanted: false), configuration: configuration)
        schedule.worked(printer, at: at(10_000), configuration: configuration)
        #expect(schedule.next == at(30_000))
        for second in 11...59 { schedule.worked(printer, at: at(Int64(second) * 1000), configuration: configuration) }
        #expect(schedule.next == at(60_000))
        // A printer of rare contacts is not asked more often for having worked.
        schedule.ended(
            printer, at: at(60_000), .init(isAvailable: true, isWanted: false, idleInterval: .seconds(60)),
            configuration: configuration)
        schedule.worked(printer, at: at(61_000), configuration: configuration)
        #expect(schedule.next == at(120_000))
    }

    @Test func `serves first whoever waits longest`() {
        var schedule = ContactSchedule()
        let (late, early) = (PrinterID.test("a"), PrinterID.test("b"))
        schedule.keep([early], at: at(0))
        schedule.keep([early, late], at: at(5))
        #expect(schedule.due(at: at(10)) == [early, late])
    }
}
