import Foundation
import KioskPrintModel
import KioskPrinterRegistry
import Testing

@Suite struct UdevRuleTests {
    @Test func `the rule gives the daemon every model whose class only a profile knows`() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let rule = try String(contentsOf: root.appendingPathComponent("Packaging/60-kioskd-usb.rules"), encoding: .utf8)
        let models = try ProfileLibrary.load(root.appendingPathComponent("profiles").path).usbVendorPrinters
        #expect(!models.isEmpty)
        for model in models {
            let parts = model.description.split(separator: ":")
            #expect(
                rule.contains(
                    "ATTR{idVendor}==\"\(parts[0])\", ATTR{idProduct}==\"\(parts[1])\", GROUP=\"kioskd\", MODE=\"0660\""
                ))
        }
    }
}
