import ArgumentParser
import KioskAPI
import PrintModel
import PrinterRegistry

/// `kioskd --check-profiles`: says whether profiles are valid, with line and column of all that is not.
enum ProfileCheck {
    /// As `--json` writes it.
    private struct Report: Encodable {
        var profiles: [String]
        var problems: [Problem.Finding]
    }

    static func run(_ options: DaemonOptions) throws {
        let folder = Profiles.folder(options.profiles)
        let paths = options.files.isEmpty ? folder.map { [$0] } ?? [] : options.files
        do {
            guard !paths.isEmpty else {
                throw StartError(.registryInvalid, "no profiles are installed; name files, or a folder with --profiles")
            }
            let names = try ProfileLibrary.check(paths, beside: folder).map(\.name)
            try say(
                Report(profiles: names, problems: []), options,
                "\(paths.joined(separator: ", ")): \(names.count) profile\(names.count == 1 ? " is" : "s are") valid")
        } catch let error as RegistryError {
            let findings = error.problems.map {
                Problem.Finding(
                    file: $0.file, line: $0.line, column: $0.column, message: $0.message, instead: $0.instead)
            }
            let problems = findings.isEmpty ? [Problem.Finding(message: error.message)] : findings
            try say(Report(profiles: [], problems: problems), options, error.message)
            throw ExitCode(StartError.Code.registryInvalid.rawValue)
        }
    }

    private static func say(_ report: Report, _ options: DaemonOptions, _ text: String) throws {
        print(options.json ? String(decoding: try APIJSON.encodePretty(report), as: UTF8.self) : text)
    }
}
