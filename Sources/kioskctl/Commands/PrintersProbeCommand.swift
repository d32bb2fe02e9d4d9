import ArgumentParser
import KioskAPIMessages
import KioskBlockingClient
import KioskPrintModel
import KioskTerminal

struct PrintersProbeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "probe",
        abstract: "Contact a printer that is not saved, and show what it is.",
        discussion: """
            Shows step by step whether it answers, who it is, whether it wants a login or its certificate or host key to \
            be trusted, what it does, and which profile fits. Nothing is saved, and a login is tried once. Ends with 1 \
            when it cannot be saved as it is.

            EXAMPLES
              kioskctl printers probe ipp://192.0.2.10/ipp/print
              kioskctl printers probe socket://192.0.2.12 --profile generic-80mm --role receipt
              kioskctl printers probe ipps://office.example --trust ask --json
            """
    )

    @Argument(
        help: ArgumentHelp("Where it is, as for `kioskctl printers add`.", valueName: "url"),
        transform: Arguments.url)
    var url: PrinterURL

    @Option(help: ArgumentHelp("Its model's profile.", valueName: "name"))
    var profile: String?

    @Option(
        help: ArgumentHelp("What it is for, whatever it says itself; with commas between.", valueName: "types"),
        completion: Completion.jobTypes, transform: Arguments.jobTypes)
    var jobTypes: JobTypes?

    @Option(help: ArgumentHelp("The name of the credentials to log in with.", valueName: "name"))
    var credentials: String?

    @Option(
        help: ArgumentHelp("How its identity is proven, as for `kioskctl printers add`.", valueName: "how"),
        completion: Completion.trust, transform: Arguments.trust)
    var trust: Trust?

    @Flag(help: "Let its login go over connections that others can read, or to whoever answers (--trust none).")
    var loginWithoutTls = false

    @Option(
        name: .shortAndLong, help: ArgumentHelp("Say whether it does this role's jobs.", valueName: "role"),
        completion: Completion.roles, transform: Arguments.role)
    var role: RoleName?

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    func run() throws {
        let client = try connection.client
        let request = ProbeRequest(
            url: url, profile: profile, jobTypes: jobTypes, credentials: credentials, trust: trust,
            allowsPlainLogin: loginWithoutTls ? true : nil, role: role)
        let report = try Interruption.cancelling { try client.perform(.probe(request)) }
        try output.json ? Console.write(json: report) : Console.write(ProbeText.details(report))
        guard report.isUsable else { throw ExitStatus.failed }
    }
}

/// Formats what a probe found.
enum ProbeText {
    static func details(_ report: ProbeReport, _ style: Style = .current) -> String {
        var details = Details(report.url.description)
        for step in report.steps {
            let text = step.message + (step.advice.map { "; \($0)" } ?? "")
            details.add("\(step.step.rawValue) \(step.outcome.rawValue)", text, color(step.outcome))
        }
        details.add("job types", report.jobTypes?.keywords.joined(separator: ", "))
        details.add("certificate", report.certificate.map { "\($0.subject), until \($0.notAfter)" })
        details.add("key", report.identity?.keyFingerprint.description)
        details.add("as ssh prints it", report.hostKey?.fingerprint.openSSH)
        details.add("suggested URL", report.suggestedURL?.description)
        if report.isUsable {
            let profile = report.suggestedProfile.map { " --profile \($0)" } ?? ""
            details.add("save it with", "kioskctl printers add \(report.suggestedID) '\(report.url)'\(profile)")
        }
        return details.text(style)
    }

    private static func color(_ outcome: ProbeReport.Step.Outcome) -> Style.Color {
        switch outcome {
        case .passed: .green
        case .warning: .yellow
        case .failed: .red
        }
    }
}
