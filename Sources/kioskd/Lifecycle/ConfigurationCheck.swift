import ArgumentParser
import CKioskLinux
import Glibc
import KioskAPI
import KioskDurableFiles
import KioskPrintModel
import KioskPrinterRegistry
import KioskSSH
import KioskTLS

/// `kioskd --check`: says whether a registry is valid, and whether the credentials, CA and known_hosts files that it
/// names, and the certificate of the command line, can be used.
enum RegistryCheck {
    static func run(_ paths: DaemonPaths, _ network: NetworkOptions, profiles: ProfileLibrary?) async throws {
        let path = paths.registry
        do {
            let user = owner(of: path)
            let registry = try Registry.read(path, profiles: profiles, for: user)
            let (credentialProblems, warnings) = await checkCredentials(registry, SecretStore(paths, user: user))
            let problems = trustProblems(registry) + credentialProblems + certificateProblems(network, for: user)
            for warning in warnings { print("warning: \(warning)") }
            guard problems.isEmpty else {
                for problem in problems { print(problem) }
                throw ExitCode(StartError.Code.registryInvalid.rawValue)
            }
            print(
                "\(path) is valid: \(Self.count(registry.printers, "printer")), \(Self.count(registry.roles, "role"))")
        } catch let error as RegistryError {
            print(error.message)
            throw ExitCode(StartError.Code.registryInvalid.rawValue)
        }
    }

    /// Root checks for the daemon's user, who owns the registry's folder or file; nil where that is ourselves.
    private static func owner(of registry: String) -> UInt32? {
        guard geteuid() == 0 else { return nil }
        for path in [Folder.parent(of: registry), registry] {
            var file = clinux_file()
            if clinux_stat(path, 1, &file) == 0, file.user != 0 { return file.user }
        }
        return nil
    }

    private static func checkCredentials(
        _ registry: Registry, _ secrets: SecretStore
    ) async -> (problems: [String], warnings: [String]) {
        var (problems, warnings): ([String], [String]) = ([], [])
        for name in Set(registry.printers.compactMap(\.credentials)).sorted() {
            do {
                let credentials = try await secrets.credentials(named: name)
                if let certificate = credentials.clientCertificate { _ = try TLSIdentity.load(certificate) }
                if let key = credentials.privateKey, let warning = try PrivateKeyFile.check(key) {
                    warnings.append(warning)
                }
                for printer in registry.printers where printer.credentials == name {
                    try credentials.check(named: name, for: printer.url)
                }
            } catch let error as TLSError {
                problems.append("the credentials \"\(name)\" cannot be used: \(error)".withoutControlCharacters)
            } catch let error as SSHError {
                problems.append("the credentials \"\(name)\" cannot be used: \(error.reason)".withoutControlCharacters)
            } catch {
                problems.append("\(error)")
            }
        }
        return (problems, warnings)
    }

    private static func trustProblems(_ registry: Registry) -> [String] {
        registry.printers.compactMap { printer -> String? in
            do {
                switch printer.trust {
                case .caFile?: _ = try TLSContext(TLSClientConfiguration(trust: printer.target.trust))
                case .knownHosts(let path)?: _ = try KnownHostsFile(path: path, isOptional: false).read()
                default: break
                }
                return nil
            } catch let error as SSHError {
                return "the trust of \(printer.id) cannot be used: \(error.reason)"
            } catch {
                return "the trust of \(printer.id) cannot be used: \(error)".withoutControlCharacters
            }
        }
    }

    /// `user`: the daemon's, for whom root checks; nil for this process's own.
    private static func certificateProblems(_ network: NetworkOptions, for user: UInt32?) -> [String] {
        guard let source = network.givenCertificate else { return [] }
        do throws(TLSError) {
            try ServerCertificate.check(source)
        } catch {
            return ["the server's certificate cannot be used: \(error)".withoutControlCharacters]
        }
        guard let user else { return [] }
        return [network.tlsCertificate, network.tlsKey].compactMap(\.self).filter { !mayRead($0, user) }.map { path in
            "the server's certificate cannot be used: user \(user), who owns the registry, cannot read \(path)"
                .withoutControlCharacters + "; give it to this user, or to a group of theirs"
        }
    }

    /// Whether a file's permissions may let a user read it; a group's count, whoever is in it.
    static func mayRead(_ path: String, _ user: UInt32) -> Bool {
        var file = stat()
        guard stat(path, &file) == 0 else { return false }
        return file.st_mode & (file.st_uid == user ? S_IRUSR : S_IRGRP | S_IROTH) != 0
    }

    private static func count(_ things: [some Any], _ noun: String) -> String {
        "\(things.count) \(noun)\(things.count == 1 ? "" : "s")"
    }
}

/// `kioskd --check-profiles`: says whether profiles are valid, with line and column of all that is not.
enum ProfileCheck {
    /// The report that `--json` writes.
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
