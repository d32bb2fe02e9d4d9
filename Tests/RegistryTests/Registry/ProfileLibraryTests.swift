import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskPrinterRegistry

@Suite struct ProfileLibraryTests {
    @Test func `the profiles that ship are valid`() throws {
        let folder = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined() + "/profiles"
        let library = try ProfileLibrary.load(folder)
        let names = Set(library.profiles.map(\.name))
        #expect(names.isSuperset(of: ["generic-58mm", "generic-80mm", "generic-document", "generic-label"]))
        #expect(library.profiles.allSatisfy { $0.quirks.isEmpty || !$0.match.isEmpty })
        #expect(library.profile(named: "generic-80mm")?.jobTypes == [.receipt, .roll])
        #expect(library.profile(named: "generic-90mm") == nil)
    }

    @Test(arguments: [
        ("", ["FILE:1:1: the profile is empty; write name, description and job-types"]),
        (
            "name: x\ndescription: d\njob-types: [roll]",
            ["FILE:1:7: the profile's name \"x\" is not that of its file; write a"]
        ),
        (
            "name: a\njob-types: [rol]\nwidht: 80",
            [
                "FILE:1:1: the profile lacks its description; write description: …",
                "FILE:3:1: a profile has no key \"widht\"; write one of name, description, job-types, inherits, match, command-sets, quirks, lpr, device, printing, pages",
            ]
        ),
        (
            "name: a\ndescription: d\njob-types: []",
            [
                "FILE:3:12: the profile has no job type; write at least one of general, document, photo, label, envelope, postcard, receipt, roll, large-format"
            ]
        ),
        (
            "name: a\ndescription: \"a\\nb\"\njob-types: [roll, roll]",
            [
                "FILE:2:14: the description is too long or not one line; write one line of at most 255 bytes",
                "FILE:3:19: the job type roll appears twice; write it once",
            ]
        ),
        (
            "- a",
            [
                "FILE:1:1: a profile must be a mapping, and is a list; write key: value lines with name, description, job-types, inherits, match, command-sets, quirks, lpr, device, printing, pages"
            ]
        ),
        (
            "a: [",
            [
                "FILE:2:1: the YAML cannot be read: did not find expected node content; write valid YAML here; look at the line before it too"
            ]
        ),
    ])
    func `says what is wrong with a profile`(text: String, problems: [String]) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(text, to: "a.yaml")
        let error = #expect(throws: RegistryError.self) { try ProfileLibrary.load(folder.path) }
        #expect(error?.problems.map(\.description) == problems.map { "\(path)" + $0.dropFirst(4) })
    }

    @Test(arguments: [
        ("match: HP*", ["FILE:3:8: match must be a list, and is a single value; write [HP*]"]),
        (
            "match: [\"*\"]",
            [
                "FILE:3:9: the pattern is empty, matches everything or is longer than 127 bytes; write a make and model such as \"HP LaserJet*\""
            ]
        ),
        (
            "quirks: [{ quirk: conection, value: close, why: w, source: https://s }]",
            ["FILE:3:19: the quirk is not known: \"conection\"; write connection"]
        ),
        (
            "quirks: [{ quirk: connection, value: open, why: w, source: https://s }]",
            ["FILE:3:38: the quirk connection does not accept this value: \"open\"; write one of close, keep-alive"]
        ),
        (
            "quirks: [{ quirk: ipp-version, value: 1.1 }]",
            [
                "FILE:3:10: the quirk lacks its why; write why: …",
                "FILE:3:10: the quirk lacks its source; write source: …",
            ]
        ),
        (
            "quirks: [{ quirk: expect, value: on, why: \"\", source: hearsay }]",
            [
                "FILE:3:43: the reason is empty; write what the printer does without it",
                "FILE:3:55: the source is not a URL: \"hearsay\"; write the URL of the source",
            ]
        ),
        (
            "quirks:\n  - { quirk: expect, value: on, why: w, source: https://s }\n  - { quirk: expect, value: on, why: w, source: https://s }",
            [
                "FILE:5:5: the quirk expect appears twice; write it once"
            ]
        ),
    ])
    func `says what is wrong with a profile's quirks`(text: String, problems: [String]) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("name: a\ndescription: d\n\(text)\njob-types: [roll]", to: "a.yaml")
        let error = #expect(throws: RegistryError.self) { try ProfileLibrary.load(folder.path) }
        #expect(error?.problems.map(\.description) == problems.map { "\(path)" + $0.dropFirst(4) })
    }

    @Test func `a profile that matches models and tells of quirks needs no job types`() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            """
            name: a
            description: d
            match: ["HP LaserJet M28*", HP LaserJet MFP M28]
            quirks:
              - { quirk: connection, value: keep-alive, why: it closes, source: https://example.org/1 }
              - { quirk: ipp-version, value: 1.1, why: it answers 2.0 with an error, source: https://example.org/2 }
            """, to: "a.yaml")
        let profile = try #require(ProfileLibrary.load(folder.path).profile(named: "a"))
        #expect(profile.jobTypes == nil)
        #expect(profile.match.map(\.text) == ["HP LaserJet M28*", "HP LaserJet MFP M28"])
        #expect(
            profile.quirks == [
                Quirk(
                    name: .connection, value: "keep-alive", why: "it closes", source: "https://example.org/1",
                    profile: "a"),
                Quirk(
                    name: .ippVersion, value: "1.1", why: "it answers 2.0 with an error",
                    source: "https://example.org/2", profile: "a"),
            ])
    }

    @Test func `reads only YAML files, and says which folder is missing`() throws {
        let folder = try TemporaryFolder()
        try folder.write("no profile", to: "README.md")
        try folder.write("no profile", to: ".hidden.yaml")
        #expect(try ProfileLibrary.load(folder.path).profiles.isEmpty)
        let error = #expect(throws: RegistryError.self) { try ProfileLibrary.load(folder.appending("gone")) }
        #expect(error?.code == .fileFailure)
        #expect(error?.message.contains("gone") == true)
    }
}
