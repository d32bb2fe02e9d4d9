import IPPCodec
import PrintModel
import Testing

@testable import IPP

@Suite struct MannersTests {
    private func quirk(_ name: Quirk.Name, _ value: String) -> Quirk {
        Quirk(name: name, value: value, why: "it is so", source: "https://example.org/", profile: "test")
    }

    @Test func `without quirks a printer is spoken to as the protocols say`() {
        let manners = Manners([])
        #expect(manners == Manners())
        #expect(manners.connection == nil)
        #expect(!manners.expectsContinue)
        #expect(manners.host == nil)
        #expect(manners.firstVersion == .v2_0)
        #expect(manners.usesCreateJob && manners.usesCompression && manners.usesNotifications)
    }

    @Test(arguments: Quirk.Name.allCases)
    func `every value of every quirk changes something`(name: Quirk.Name) {
        let isDefault = { (value: String) in name == .ippVersion && value == "2.0" }
        for value in (name.values ?? ["localhost"]) where !isDefault(value) {
            #expect(Manners([quirk(name, value)]) != Manners(), "\(name.rawValue): \(value)")
        }
    }

    @Test func `of quirks with one name the first counts`() {
        let manners = Manners([quirk(.ippVersion, "1.1"), quirk(.connection, "close"), quirk(.ippVersion, "1.0")])
        #expect(manners.firstVersion == .v1_1)
        #expect(manners.connection == .close)
        #expect(Manners([quirk(.ippVersion, "2.0"), quirk(.ippVersion, "1.0")]).firstVersion == .v2_0)
    }

    @Test(arguments: [
        (Quirk.Name.host, "a\r\nX: y"), (.host, ""), (.connection, "upgrade"), (.ippVersion, "3.0"), (.createJob, "on"),
    ])
    func `a value that a quirk does not take changes nothing`(name: Quirk.Name, value: String) {
        #expect(Manners([quirk(name, value)]) == Manners())
    }
}
