import KioskPrintModel
import Testing

@testable import KioskPrinterRegistry

@Suite struct ProfileLprTests {
    private func read(_ lpr: String) -> (profile: PrinterProfile?, problems: [RegistryProblem]) {
        ProfileReader.read(
            Array("name: campus\ndescription: d\nlpr:\n\(lpr)\n".utf8), file: "campus.yaml", name: "campus")
    }

    @Test func `reads how documents reach a queue`() {
        let (profile, problems) = read(
            """
              dialect: lprng
              upload: sftp
              conversion: postscript
              quota: { command: [pquota, -P, "%queue", "it's"], pattern: "([0-9]+) pages (left|over)" }
            """)
        #expect(problems.isEmpty)
        #expect(
            profile?.lpr
                == LprSettings(
                    dialect: .lprng, upload: .sftp, conversion: .postScript,
                    quota: .init(command: ["pquota", "-P", "%queue", "it's"], pattern: "([0-9]+) pages (left|over)")))
    }

    @Test func `what a profile leaves open has its standard`() {
        #expect(read("  conversion: postscript").profile?.lpr == LprSettings(conversion: .postScript))
        let library = ProfileLibrary([PrinterProfile(name: "other", description: "d", jobTypes: nil)])
        #expect(library.lprSettings(named: "other") == LprSettings())
        #expect(library.lprSettings(named: nil) == LprSettings())
    }

    @Test(arguments: [
        ("  dialect: solaris", "the dialect of lpr is not known: \"solaris\""),
        ("  upload: ftp", "the way of uploading is not known: \"ftp\""),
        ("  conversion: pcl", "the conversion is not known: \"pcl\""),
        ("  queue: a", "lpr has no key \"queue\""),
        ("  quota: { command: [pquota] }", "the quota lacks its pattern"),
        ("  quota: { command: [], pattern: \"([0-9]+)\" }", "the quota's command is empty or has more than 32 words"),
        (
            "  quota: { command: [\"\"], pattern: \"([0-9]+)\" }",
            "the quota's command is empty or has more than 32 words"
        ),
        (
            "  quota: { command: [pquota, \"a\\nb\"], pattern: \"([0-9]+)\" }",
            "a word of the quota's command is too long or not one line"
        ),
        (
            "  quota: { command: [pquota], pattern: \"[0-9]+\" }",
            "the quota's pattern is not a regular expression with a group around the number: \"[0-9]+\""
        ),
        (
            "  quota: { command: [pquota], pattern: \"([0-9\" }",
            "the quota's pattern is not a regular expression with a group around the number: \"([0-9\""
        ),
        (
            "  quota: { command: [pquota], pattern: \"a)|(b\" }",
            "the quota's pattern is not a regular expression with a group around the number: \"a)|(b\""
        ),
    ])
    func `says what is wrong and where`(lpr: String, message: String) {
        let (profile, problems) = read(lpr)
        #expect(profile == nil)
        #expect(problems.first?.message == message)
        #expect(problems.first?.line == 4)
    }
}
