internal import ArgumentParser
internal import CLinux
internal import DurableFiles
internal import Glibc
internal import PrintModel
internal import PrinterRegistry
internal import TLS

/// `kioskd --check`: says whether a registry is valid, and whether the credentials and CA files that it names can be used.
enum RegistryCheck {
    static func run(_ paths: DaemonPaths, profiles: ProfileLibrary?) async throws {
        let path = paths.registry
        do {
            let registry = try Registry.read(path, profiles: profiles)
            var problems = authorityProblems(registry)
            problems += await credentialProblems(registry, SecretStore(paths, user: owner(of: path)))
            guard problems.isEmpty else {
                for problem in problems { print(problem) }
                throw ExitCode(StartError.Code.registryInvalid.rawValue)
            }
            print("\(path) is valid: \(Self.count(registry.printers, "printer")), \(Self.count(registry.roles, "role"))")
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

    private static func credentialProblems(_ registry: Registry, _ secrets: SecretStore) async -> [String] {
        var problems: [String] = []
        for name in Set(registry.printers.compactMap(\.credentials)).sorted() {
            do {
                let credentials = try await secrets.credentials(named: name)
                if let certificate = credentials.clientCertificate { _ = try TLSIdentity.load(certificate) }
            } catch let error as TLSError {
                problems.append("the credentials \"\(name)\" cannot be used: \(error)".withoutControlCharacters)
            } catch {
                problems.append("\(error)")
            }
        }
        return problems
    }

    private static func authorityProblems(_ registry: Registry) -> [String] {
        registry.printers.compactMap { printer -> String? in
            guard case .caFile? = printer.trust else { return nil }
            do {
                _ = try TLSContext(TLSClientConfiguration(trust: printer.target.trust))
                return nil
            } catch {
                return "the trust of \(printer.id) cannot be used: \(error)".withoutControlCharacters
            }
        }
    }

    private static func count(_ things: [some Any], _ noun: String) -> String {
        "\(things.count) \(noun)\(things.count == 1 ? "" : "s")"
    }
}
