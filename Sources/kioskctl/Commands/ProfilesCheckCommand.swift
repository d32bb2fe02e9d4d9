import ArgumentParser

/// `kioskctl profiles check`: hands over to `kioskd --check-profiles`, which reads YAML. No daemon needs to run.
struct ProfilesCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Say whether profiles are valid, and where they are not.",
        discussion: """
            Files are checked as they would be in the folder of installed profiles, which \
            they may inherit from and replace. Ends with 78 where one is not valid.

            EXAMPLES
              kioskctl profiles check
              kioskctl profiles check till.yaml
              kioskctl profiles check --profiles ./profiles --json
            """
    )

    @Argument(
        help: ArgumentHelp("Profiles, or folders of them (default: the installed ones).", valueName: "file"),
        completion: .file(extensions: ["yaml"]))
    var files: [String] = []

    @Option(
        help: ArgumentHelp("The folder of profiles in place of the installed one.", valueName: "folder"),
        completion: .directory)
    var profiles: String?

    @Flag(help: "Write JSON: the names of the profiles, and every problem with its place.")
    var json = false

    func run() throws {
        let folder = profiles.map { ["--profiles", $0] } ?? []
        let arguments = ["--check-profiles"] + folder + (json ? ["--json"] : []) + (files.isEmpty ? [] : ["--"] + files)
        try SiblingProgram.handOver("kioskd", arguments, role: "reads profiles")
    }
}
