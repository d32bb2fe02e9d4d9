import KioskPrintModel
import Testing

@testable import KioskEngine

@Suite struct PrinterContactsTests {
    @Test func `a description is to be stored once, and again where that has failed`() {
        var contacts = PrinterContacts(configuration: EngineConfiguration(stateDirectory: "/nowhere"), remembered: [:])
        let printer = SavedPrinter.test("till-1")
        func isToBeStored() -> Bool {
            contacts.remember(.receiptPrinter, of: printer, at: Timestamp(millisecondsSince1970: 0)) != nil
        }
        #expect(isToBeStored())
        #expect(!isToBeStored())
        contacts.noteUnstored(printer.id)
        #expect(isToBeStored())
        #expect(!isToBeStored())
    }
}
