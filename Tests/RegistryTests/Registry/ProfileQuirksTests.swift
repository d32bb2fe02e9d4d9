import KioskPrintModel
import Testing

@testable import KioskPrinterRegistry

@Suite struct ProfileQuirksTests {
    @Test(arguments: [
        ("HP LaserJet M28*", "HP LaserJet M28w", true),
        ("HP LaserJet M28*", "hp laserjet m28", true),
        ("HP LaserJet M28*", "HP LaserJet M2", false),
        ("HP LaserJet M28", "HP LaserJet M28w", false),
        ("*LaserJet*", "HP LaserJet", true),
        ("*LaserJet*M28*", "HP LaserJet Pro M28w", true),
        ("HP*M28w", "HP M28w M28w", true),
        ("ab*ba", "aba", false),
        ("ab*b*ba", "abba", false),
        ("EPSÖN*", "EPSön", false),
        ("EPSON*", "", false),
    ])
    func `matches a make and model`(pattern: String, model: String, matches: Bool) {
        #expect(ModelPattern(pattern).matches(model) == matches)
    }

    private func quirk(_ name: Quirk.Name, _ value: String, of profile: String) -> Quirk {
        Quirk(name: name, value: value, why: "w", source: "https://example.org", profile: profile)
    }

    private func profile(_ name: String, _ match: [String], _ quirks: [(Quirk.Name, String)]) -> PrinterProfile {
        PrinterProfile(
            name: name, description: "d", jobTypes: nil, match: match.map(ModelPattern.init),
            quirks: quirks.map { quirk($0.0, $0.1, of: name) })
    }

    private var library: ProfileLibrary {
        ProfileLibrary([
            profile("a-maker", ["HP*"], [(.connection, "close"), (.createJob, "off")]),
            profile("b-family", ["Epson*", "HP LaserJet*"], [(.connection, "keep-alive"), (.notifications, "off")]),
            profile("c-model", ["HP LaserJet M28"], [(.ippVersion, "1.1")]),
            profile("d-named", [], [(.ippVersion, "1.0"), (.compression, "off")]),
        ])
    }

    @Test func `the most specific profile wins, quirk by quirk`() {
        let quirks = library.quirks(for: PrinterIdentity(makeAndModel: "hp laserjet m28"))
        #expect(
            quirks == [
                quirk(.ippVersion, "1.1", of: "c-model"),
                quirk(.connection, "keep-alive", of: "b-family"), quirk(.notifications, "off", of: "b-family"),
                quirk(.createJob, "off", of: "a-maker"),
            ])
    }

    @Test func `the profile that the registry names comes before all that match`() {
        let quirks = library.quirks(for: PrinterIdentity(profile: "d-named", makeAndModel: "HP LaserJet M28"))
        #expect(
            quirks.prefix(2) == [quirk(.ippVersion, "1.0", of: "d-named"), quirk(.compression, "off", of: "d-named")])
        #expect(quirks.count == 5)
    }

    @Test func `before the first contact only the named profile counts`() {
        #expect(library.quirks(for: PrinterIdentity()).isEmpty)
        #expect(library.quirks(for: PrinterIdentity(profile: "d-named")).count == 2)
        #expect(library.quirks(for: PrinterIdentity(profile: "unknown")).isEmpty)
    }
}
