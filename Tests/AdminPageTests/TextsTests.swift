import Foundation
import KioskAdminPage
import KioskPrintModel
import Testing

/// The page's texts: complete in each language, and each used key is there.
@Suite struct TextsTests {
    private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")

    private static func keys(_ language: String) throws -> [String: String] {
        let file = sources.appending(path: "AdminPage/Texts/\(language).json")
        return try JSONDecoder().decode([String: String].self, from: Data(contentsOf: file))
    }

    @Test(arguments: Languages.all.map(\.language))
    func `each language has every text, with the same values in it`(_ language: String) throws {
        let english = try Self.keys("en")
        let other = try Self.keys(language)
        #expect(Set(english.keys) == Set(other.keys))
        let texts = try #require(Languages.all.first { $0.language == language })
        for key in english.keys {
            #expect(texts.placeholders(in: key) == Languages.english.placeholders(in: key), "\(key)")
            #expect(other[key]?.isEmpty == false, "\(key)")
        }
    }

    @Test func `each key in the sources has its text`() throws {
        let english = Set(Languages.english.keys)
        var used = 0
        for folder in ["AdminPage", "kioskd/Page"] {
            let root = Self.sources.appending(path: folder).resolvingSymlinksInPath()
            let names = try FileManager.default.subpathsOfDirectory(atPath: root.path).filter { $0.hasSuffix(".swift") }
            for name in names {
                let source = try String(contentsOf: root.appending(path: name), encoding: .utf8)
                let calls = source.matches(of: /texts(?:\.html)?\("([a-z][a-zA-Z.-]*)"(, count:)?/)
                for call in calls {
                    used += 1
                    let key = String(call.output.1)
                    if call.output.2 != nil {
                        #expect(english.contains("\(key).one") && english.contains("\(key).other"), "\(name): \(key)")
                    } else {
                        #expect(english.contains(key), "\(name): \(key)")
                    }
                }
                for done in source.matches(of: /done: "([a-z-]+)"/) {
                    #expect(english.contains("done.\(done.output.1)"), "\(name): \(done.output.1)")
                }
            }
        }
        #expect(used > 50)
    }

    @Test func `each state, job type, policy and section has its word`() {
        let english = Languages.english
        for state in Availability.State.allCases {
            #expect(english.member(state.rawValue, of: "availability") != nil, "\(state)")
        }
        for (keyword, _) in JobTypes.keywords { #expect(english.member(keyword, of: "job-type") != nil, "\(keyword)") }
        for policy in Role.PrinterPolicy.allCases { #expect(english.member(policy.rawValue, of: "policy") != nil) }
        for policy in Role.UnconfirmedPolicy.allCases {
            #expect(english.member(policy.rawValue, of: "unconfirmed") != nil)
        }
        for section in PageSection.allCases { #expect(english.member(section.rawValue, of: "nav") != nil) }
        for status in HealthReport.Status.allCases { #expect(english.member(status.rawValue, of: "health") != nil) }
        for stage in ["claimed", "accepted", "unconfirmed", "ended", "refused"] {
            #expect(english.member(stage, of: "fleet.stage") != nil)
        }
        for mode in ["off", "managed", "shown"] { #expect(english.member(mode, of: "fleet.mode") != nil) }
    }

    @Test(
        arguments: [
            (nil, "en"), ("", "en"), ("de", "de"), ("de-AT,de;q=0.9,en;q=0.8", "de"), ("fr,en;q=0.5,de;q=0.4", "en"),
            ("fr", "en"), ("en;q=0.1,de;q=0.9", "de"), ("de;q=0", "en"), ("*", "en"), (";;;,,q=,de;q=x", "en"),
        ] as [(String?, String)])
    func `the language follows what the browser accepts`(_ field: String?, _ language: String) {
        #expect(Languages.texts(accepting: field).language == language)
    }

    @Test func `values stand in a text as they are, and markup only where it is asked for`() {
        let texts = Languages.english
        #expect(texts("printers.jobs", count: 1) == "1 job")
        #expect(texts("printers.jobs", count: 2) == "2 jobs")
        #expect(texts("role.title", ["role": "{role}"]) == "Role {role}")
        let html = texts.html("printers.next", ["time": "<b>\(texts("printers.jobs", count: 1))</b>"])
        #expect(html.text == "next try <b>1 job</b>")
    }
}
