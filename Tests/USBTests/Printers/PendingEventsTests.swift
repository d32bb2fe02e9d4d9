import KioskDevicePrinting
import KioskPrintModel
import Testing

@testable import KioskUSB

@Suite("Events of USB printers that nobody has taken yet")
struct PendingEventsTests {
    @Test func `Of each printer the newest event is kept, behind its end`() async throws {
        let pending = PendingEvents()
        let urls = try ["usb://A/B", "usb://C/D"].map { try PrinterURL($0) }
        let conditions = [
            DeviceCondition(), DeviceCondition(facts: .paperEnd, known: .paperEnd), DeviceCondition(known: .paperEnd),
        ]
        for _ in 0..<1000 {
            for condition in conditions { pending.add(.changed(condition), of: urls[0]) }
            pending.add(.ended, of: urls[0])
            for condition in conditions { pending.add(.changed(condition), of: urls[0]) }
        }
        pending.add(.changed(conditions[0]), of: urls[1])
        pending.add(.ended, of: urls[1])
        var signals = pending.signals.makeAsyncIterator()
        #expect(await signals.next() != nil)
        let taken = pending.take()
        #expect(taken.filter { $0.url == urls[0] }.map(\.event) == [.ended, .changed(conditions[2])])
        #expect(taken.filter { $0.url == urls[1] }.map(\.event) == [.ended])
        #expect(pending.take().isEmpty)
    }
}
