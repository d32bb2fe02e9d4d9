import KioskIPPCodec
import KioskPrintModel
import Testing

@testable import KioskIPP

@Suite struct IPPQuirksTests {
    private func quirk(_ name: Quirk.Name, _ value: String) -> Quirk {
        Quirk(name: name, value: value, why: "it is so", source: "https://example.org/", profile: "test")
    }

    @Test func `without quirks a printer is spoken to as the protocols say`() {
        let quirks = IPPQuirks([])
        #expect(quirks == IPPQuirks())
        #expect(quirks.connection == nil)
        #expect(!quirks.expectsContinue)
        #expect(quirks.host == nil)
        #expect(quirks.firstVersion == .v2_0)
        #expect(quirks.usesCreateJob && quirks.usesCompression && quirks.usesNotifications)
    }

    @Test(arguments: Quirk.Name.allCases)
    func `every value of every quirk changes something`(name: Quirk.Name) {
        let isDefault = { (value: String) in name == .ippVersion && value == "2.0" }
        for value in (name.values ?? ["localhost"]) where !isDefault(value) {
            #expect(IPPQuirks([quirk(name, value)]) != IPPQuirks(), "\(name.rawValue): \(value)")
        }
    }

    @Test func `of quirks with one name the first counts`() {
        let quirks = IPPQuirks([quirk(.ippVersion, "1.1"), quirk(.connection, "close"), quirk(.ippVersion, "1.0")])
        #expect(quirks.firstVersion == .v1_1)
        #expect(quirks.connection == .close)
        #expect(IPPQuirks([quirk(.ippVersion, "2.0"), quirk(.ippVersion, "1.0")]).firstVersion == .v2_0)
    }

    @Test(arguments: [
        (Quirk.Name.host, "a\r\nX: y"), (.host, ""), (.connection, "upgrade"), (.ippVersion, "3.0"), (.createJob, "on"),
    ])
    func `a value that a quirk does not take changes nothing`(name: Quirk.Name, value: String) {
        #expect(IPPQuirks([quirk(name, value)]) == IPPQuirks())
    }

    @Test(arguments: [(nil, "kiosk"), ("", "kiosk"), (#"SHOP\till"#, "SHOP_till"), ("a\u{7}b", "a b")])
    func `a user's name is one that printers take`(user: String?, expected: String) {
        #expect(UserName.make(user) == expected)
    }
}
