import Glibc
import KioskDurableFiles
import KioskPrintModel
import KioskPrinterRegistry

/// Whether `printers.yaml` is valid, and what damage has left.
struct RegistryChecks {
    let installation: Installation

    func findings() -> [DoctorFinding] { profiles + registry + leftovers }

    /// The registry that is in the file; nil where it cannot be read.
    static func registry(of installation: Installation) -> Registry? {
        try? Registry.read(
            installation.paths.registry, profiles: try? Profiles.load(installation.profiles),
            for: installation.user == geteuid() ? nil : installation.user)
    }

    private var profiles: [DoctorFinding] {
        do throws(StartError) {
            _ = try Profiles.load(installation.profiles)
            return []
        } catch {
            return [
                .init(
                    group: .registry, code: "profiles-invalid", status: .critical,
                    subject: installation.profiles ?? "profiles",
                    message: "a printer profile is refused, so kioskd does not start: \(error.message)", command: nil)
            ]
        }
    }

    private var registry: [DoctorFinding] {
        let path = installation.paths.registry
        guard let file = FileFacts(path) else {
            return [
                .init(
                    group: .registry, code: "registry-missing", status: .ok, subject: path,
                    message: "there is no \(path) yet; it is made when the first printer is saved",
                    command: nil)
            ]
        }
        // Others could have written it: the check of the files says so.
        guard file.permissions & 0o022 == 0 else { return [] }
        do {
            let user = installation.user == geteuid() ? nil : installation.user
            _ = try Registry.read(path, profiles: try? Profiles.load(installation.profiles), for: user)
            return []
        } catch {
            let message = error.message
            return [
                .init(
                    group: .registry, code: "registry-invalid", status: .critical, subject: path,
                    message: "the registry is refused: \(message)",
                    command: newestVersion.map {
                        "\(ShellCommand.line("cp", path, "\(path).refused")) && \(ShellCommand.line("cp", $0, path))"
                    })
            ]
        }
    }

    /// The newest version that was in force, kept beside the registry.
    private var newestVersion: String? {
        let path = installation.paths.registry
        let prefix = "\(Folder.name(of: path)).~"
        let numbers = ((try? Folder.names(in: Folder.parent(of: path))) ?? []).compactMap { name -> Int? in
            guard name.hasPrefix(prefix), name.hasSuffix("~") else { return nil }
            return Int(name.dropFirst(prefix.count).dropLast())
        }
        return numbers.max().map { "\(path).~\($0)~" }
    }

    /// What was put aside as damaged, until somebody has looked at it.
    private var leftovers: [DoctorFinding] {
        let folder = installation.paths.stateDirectory
        let names = (try? Folder.names(in: folder)) ?? []
        let kinds = [("queue.sqlite.damaged-", "queue-damaged"), ("audit.jsonl.damaged-", "audit-damaged")]
        return kinds.flatMap { prefix, code in
            // What belongs to a queue lies beside it, under its name.
            let first = names.filter { $0.hasPrefix(prefix) && $0.dropFirst(prefix.count).allSatisfy(Self.isOfTime) }
            return first.map { name in
                DoctorFinding(
                    group: .registry, code: code, status: .warning, subject: "\(folder)/\(name)",
                    message:
                        "\(folder)/\(name) was damaged and put aside; look at the disk, see what was lost, and remove it",
                    command: "rm -r -- \(ShellCommand.quoted("\(folder)/\(name)"))*")
            }
        }
    }

    private static func isOfTime(_ character: Character) -> Bool { character.isNumber || character == "T" }
}
