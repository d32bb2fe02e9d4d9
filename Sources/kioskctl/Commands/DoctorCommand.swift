import ArgumentParser

/// `kioskctl doctor`: replaces this process with `kioskd --doctor`. What it looks at, certificates and keys among it,
/// needs libraries that this program does not load.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check the installation, and say how to mend it.",
        discussion: """
            Looks at the files and their modes, the registry, the socket, groups, the disk, the clock, certificates, \
            SSH keys, USB, the programs that draw, fonts and the network, whether kioskd runs or not. It changes \
            nothing: each finding comes with the command that mends it. Run it as root, who sees everything. Ends \
            with 1 where there is something to mend. docs/health.md has every finding.

            EXAMPLES
              sudo kioskctl doctor
              sudo kioskctl doctor --user till
              kioskctl doctor --state-dir /tmp/kiosk --json
              sudo kioskctl doctor -- --listen 0.0.0.0 --tls-certificate kiosk.pem
            """
    )

    @Option(help: ArgumentHelp("Say too whether this user may print.", valueName: "user"))
    var user: String?

    @Option(help: ArgumentHelp("The daemon's --state-dir; else the installed service is checked.", valueName: "dir"))
    var stateDir: String?

    @OptionGroup var output: OutputOptions

    @Argument(
        parsing: .postTerminator, help: ArgumentHelp("Further options of kioskd, as in its unit.", valueName: "option"))
    var options: [String] = []

    func run() throws {
        var arguments = ["--doctor"]
        if output.json { arguments.append("--json") }
        if let user { arguments += ["--for-user", user] }
        if let stateDir { arguments += ["--state-dir", stateDir] }
        try SiblingProgram.exec("kioskd", arguments + options, role: "has the checks")
    }
}
