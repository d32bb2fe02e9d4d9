import PrintModel
import TestSupport
import Testing

@testable import PrinterRegistry

@Suite struct ProfileLibraryTests {
    @Test func `the profiles that ship are valid`() throws {
        let folder = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined() + "/profiles"
        let library = try ProfileLibrary.load(folder)
        #expect(library.profiles.map(\.name) == ["generic-58mm", "generic-80mm", "generic-document", "generic-label"])
        #expect(library.profile(named: "generic-80mm")?.jobTypes == [.receipt, .roll])
        #expect(library.profile(named: "generic-90mm") == nil)
    }

    @Test(arguments: [
        ("", ["FILE:1:1: the profile is empty; write name, description and job-types"]),
        ("name: x\ndescription: d\njob-types: [roll]", ["FILE:1:7: the profile's name \"x\" is not that of its file; write a"]),
        ("name: a\njob-types: [rol]\nwidht: 80", [
            "FILE:1:1: the profile lacks its description; write description: …",
            "FILE:3:1: a profile has no key \"widht\"; write one of name, description, job-types",
        ]),
        ("name: a\ndescription: d\njob-types: []", ["FILE:3:12: the profile has no job type; write at least one of general, document, photo, label, envelope, postcard, receipt, roll, large-format"]),
        ("name: a\ndescription: \"a\\nb\"\njob-types: [roll, roll]", [
            "FILE:2:14: the description is too long or not one line; write one line of at most 255 bytes",
            "FILE:3:19: the job type roll stands twice; write it once",
        ]),
        ("- a", ["FILE:1:1: a profile must be a mapping, and is a list; write key: value lines with name, description, job-types"]),
        ("a: [", ["FILE:2:1: the YAML cannot be read: did not find expected node content; write valid YAML here; look at the line before it too"]),
    ])
    func `says what is wrong with a profile`(text: String, problems: [String]) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(text, to: "a.yaml")
        let error = #expect(throws: RegistryError.self) { try ProfileLibrary.load(folder.path) }
        #expect(error?.problems.map(\.description) == problems.map { "\(path)" + $0.dropFirst(4) })
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
