import PrintModel
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
        schedule.ended(printer, at: at(0), .init(isAvailable: false, isWanted: true, pace: .slow), configuration: configuration)
        schedule.hasten(printer, at: at(0), configuration: configuration)
        schedule.contactNow(printer, at: at(0))
        #expect(schedule.next == at(5000))
        schedule.forgive(printer)
        schedule.contactNow(printer, at: at(10))
        #expect(schedule.next == at(10))
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
}
