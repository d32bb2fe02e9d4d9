import DevicePrinting
import PrintModel
import Testing

@testable import USB

@Suite("News of USB printers that nobody has taken yet")
struct HeardNewsTests {
    @Test func `Of each printer the newest word is kept, behind its going`() async throws {
        let heard = HeardNews()
        let urls = try ["usb://A/B", "usb://C/D"].map { try PrinterURL($0) }
        let conditions = [
            DeviceCondition(), DeviceCondition(facts: .paperEnd, known: .paperEnd), DeviceCondition(known: .paperEnd),
        ]
        for _ in 0..<1000 {
            for condition in conditions { heard.add(.changed(condition), of: urls[0]) }
            heard.add(.ended, of: urls[0])
            for condition in conditions { heard.add(.changed(condition), of: urls[0]) }
        }
        heard.add(.changed(conditions[0]), of: urls[1])
        heard.add(.ended, of: urls[1])
        var signals = heard.signals.makeAsyncIterator()
        #expect(await signals.next() != nil)
        let taken = heard.take()
        #expect(taken.filter { $0.url == urls[0] }.map(\.news) == [.ended, .changed(conditions[2])])
        #expect(taken.filter { $0.url == urls[1] }.map(\.news) == [.ended])
        #expect(heard.take().isEmpty)
    }
}
