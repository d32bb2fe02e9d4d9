import KioskDevicePrinting
import KioskPrintModel
import Testing

@testable import KioskUSB

@Suite("What is known of printers")
struct KnownPrintersTests {
    private static func printer(_ identity: DeviceIdentity?, port: UInt8 = 1, product: UInt16 = 0x0E15) -> USBPrinter {
        USBPrinter(
            vendor: 0x04B8, product: product, port: USBPort(bus: 1, ports: [port]), address: 1, manufacturer: nil,
            productName: nil,
            identity: identity, interfaces: [], isAccessible: true)
    }
    private static let memory = CompletionMemory(DeviceSettings(), language: .escPOS, seed: 1)

    @Test func `A serial number counts wherever the printer is plugged in, and else the port does`() {
        let known = KnownPrinters<USBPrinterKey>()
        known.note(Self.memory, of: USBPrinterKey(Self.printer(.serial("A"))))
        #expect(known[USBPrinterKey(Self.printer(.serial("A"), port: 2))] != nil)
        #expect(known[USBPrinterKey(Self.printer(.serial("B")))] == nil)
        #expect(known[USBPrinterKey(Self.printer(.serial("A"), product: 1))] == nil)
        known.note(Self.memory, of: USBPrinterKey(Self.printer(nil, port: 3)))
        #expect(known[USBPrinterKey(Self.printer(nil, port: 3))] != nil)
        #expect(known[USBPrinterKey(Self.printer(nil, port: 4))] == nil)
    }

    @Test func `A pending recovery of a printer is taken over once, and only by the same`() {
        let known = KnownPrinters<USBPrinterKey>()
        let (one, other) = (
            USBPrinterKey(Self.printer(.serial("A"))), USBPrinterKey(Self.printer(.serial("B")))
        )
        known.note(Self.memory, recovery: .resynchronising(missing: 7), of: one)
        known.note(Self.memory, of: one)
        #expect(known.takeRecovery(of: other) == .none)
        #expect(known.takeRecovery(of: one) == .resynchronising(missing: 7))
        #expect(known.takeRecovery(of: one) == .none)
        #expect(known[one] != nil)
    }

    @Test func `Of too many the oldest are forgotten`() {
        let capacity = 127
        let known = KnownPrinters<USBPrinterKey>(capacity: capacity)
        let keys = (0...capacity).map { USBPrinterKey(Self.printer(.serial("\($0)"))) }
        for key in keys { known.note(Self.memory, of: key) }
        #expect(known[keys[0]] == nil)
        #expect(keys.dropFirst().allSatisfy { known[$0] != nil })
    }
}
