import Testing

@testable import USB

@Suite("The interface for a use")
struct USBPrinterChoiceTests {
    @Test(
        arguments: [([1, 2], 1), ([2, 1], 0), ([1], 0), ([4, 1], 1), ([2, 2], 0), ([4, 4, 2], 2)] as [([UInt8], Int)])
    func `has a back-channel before one that has none`(protocols: [UInt8], number: Int) {
        #expect(USBPrinter.sample(protocols: protocols).choice(for: .raw)?.interface.number == number)
    }

    @Test func `is the one that the URL names, if it is of use`() {
        let printer = USBPrinter.sample(protocols: [2, 1, 4])
        #expect(printer.choice(for: .raw, interface: 1)?.interface.number == 1)
        #expect(printer.choice(for: .raw, interface: 2) == nil)
        #expect(printer.choice(for: .ippOverUSB, interface: 2)?.interface.number == 2)
        #expect(printer.choice(for: .raw, interface: 7) == nil)
    }

    @Test func `may be any of several for IPP over USB`() {
        let printer = USBPrinter.sample(protocols: [4, 2, 4, 4])
        #expect(printer.choices(for: .ippOverUSB).map(\.interface.number) == [0, 2, 3])
        #expect(USBPrinter.sample().choices(for: .ippOverUSB).isEmpty)
    }

    @Test func `has the best of its alternate settings`() {
        var printer = USBPrinter.sample()
        printer.interfaces[0].alternates = [.sample(1, number: 0), .sample(4, number: 1), .sample(2, number: 2)]
        #expect(printer.choice(for: .raw)?.alternate.number == 2)
        #expect(printer.choice(for: .ippOverUSB)?.alternate.number == 1)
    }
}
