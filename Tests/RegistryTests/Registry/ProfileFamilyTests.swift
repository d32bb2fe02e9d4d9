import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskPrinterRegistry

/// Profiles that inherit from others.
@Suite struct ProfileFamilyTests {
    private static func load(_ files: [String: String]) throws -> ProfileLibrary {
        let folder = try TemporaryFolder()
        for (name, text) in files { try folder.write("name: \(name)\ndescription: d\n\(text)\n", to: "\(name).yaml") }
        do throws(RegistryError) {
            return try ProfileLibrary.load(folder.path)
        } catch {
            throw RegistryError(
                problems: error.problems.map { problem in
                    var problem = problem
                    problem.file = problem.file.split(separator: "/").last.map(String.init) ?? problem.file
                    return problem
                })
        }
    }

    private static let parent = """
        job-types: [receipt]
        match: [Acme*]
        quirks: [{ quirk: expect, value: on, why: w, source: https://s }]
        device: { language: esc-pos, paper-speed: 100, usb: { soft-reset: false } }
        printing: { source: manual, language: esc-pos, dots: 576, code-pages: { cp437: 0, cp858: 19 }, initial-code-page: cp437, cuts: [full] }
        """

    @Test func `a child has what its parent has, but for the models`() throws {
        let library = try Self.load(["parent": Self.parent, "child": "inherits: parent"])
        let (parent, child) = (
            try #require(library.profile(named: "parent")), try #require(library.profile(named: "child"))
        )
        #expect(child.inherits == "parent")
        #expect(child.match.isEmpty)
        #expect(child.jobTypes == .receipt)
        #expect(child.quirks == parent.quirks)
        #expect(child.device == parent.device)
        #expect(child.printing == parent.printing)
    }

    @Test func `each key that a child states overrules its parent's`() throws {
        let library = try Self.load([
            "parent": Self.parent,
            "child":
                "inherits: parent\njob-types: [roll]\ndevice: { completion: process-id, usb: { reattach: false } }\nprinting: { source: seen, dots: 384, cuts: [] }",
            "grandchild": "inherits: child\nmatch: [Acme 58]\nprinting: { source: seen, code-pages: { cp850: 2 } }",
        ])
        let child = try #require(library.profile(named: "child"))
        #expect(child.jobTypes == .roll)
        #expect(
            child.device
                == DeviceSettings(
                    language: .escPOS, completion: .processID, paperSpeed: 100,
                    usb: USBSettings(softReset: false, reattach: false)))
        #expect(
            child.printing
                == PrintingSettings(
                    language: .escPOS, dots: 384, codePages: [.cp437: 0, .cp858: 19], initialCodePage: .cp437,
                    sources: ["seen", "manual"]))
        // Of its own list of pages, none is known to be the first.
        let grandchild = try #require(library.profile(named: "grandchild"))
        #expect(
            grandchild.printing
                == PrintingSettings(language: .escPOS, dots: 384, codePages: [.cp850: 2], sources: ["seen", "manual"]))
        #expect(grandchild.match.map(\.text) == ["Acme 58"])
    }

    @Test(arguments: [
        (
            ["a": "inherits: a"],
            [
                "a.yaml:3:11: the profile inherits from itself: a → a; write a profile that does not inherit from this one"
            ]
        ),
        (
            [
                "a": "inherits: b\njob-types: [roll]", "b": "inherits: c\njob-types: [roll]",
                "c": "inherits: b\njob-types: [roll]",
            ],
            [
                "c.yaml:3:11: the profile inherits from itself: b → c → b; write a profile that does not inherit from this one"
            ]
        ),
        (
            ["a": "inherits: generic-80\njob-types: [roll]", "generic-80mm": "job-types: [roll]"],
            [
                "a.yaml:3:11: there is no profile \"generic-80\" to inherit from; write generic-80mm"
            ]
        ),
        // A parent's problems are said once, and a child's own as well.
        (
            ["a": "inherits: b\nmatc: 3", "b": "job-types: [roll]\ndevic: 4"],
            [
                "a.yaml:4:1: a profile has no key \"matc\"; write match",
                "b.yaml:4:1: a profile has no key \"devic\"; write device",
            ]
        ),
    ])
    func `says what is wrong and where`(files: [String: String], problems: [String]) {
        let error = #expect(throws: RegistryError.self) { try Self.load(files) }
        #expect(error?.problems.map(\.description).filter { !$0.contains("lacks its job-types") } == problems)
    }
}
