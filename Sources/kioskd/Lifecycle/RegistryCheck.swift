internal import ArgumentParser
internal import PrintModel
internal import PrinterRegistry

/// `kioskd --check`: says whether a registry is valid, and whether the credentials that it names can be used.
enum RegistryCheck {
    static func run(_ paths: DaemonPaths, profiles: ProfileLibrary?) async throws {
        let path = paths.registry
        do {
            let registry = try Registry.read(path, profiles: profiles)
            try await check(Set(registry.printers.compactMap(\.credentials)), SecretStore(paths))
            print("\(path) is valid: \(Self.count(registry.printers, "printer")), \(Self.count(registry.roles, "role"))")
        } catch let error as RegistryError {
            print(error.message)
            throw ExitCode(StartError.Code.registryInvalid.rawValue)
        }
    }

    private static func check(_ names: Set<String>, _ secrets: SecretStore) async throws {
        var areUsable = true
        for name in names.sorted() {
            do {
                _ = try await secrets.credentials(named: name)
            } catch {
                print(error)
                areUsable = false
            }
        }
        guard areUsable else { throw ExitCode(StartError.Code.registryInvalid.rawValue) }
    }

    private static func count(_ things: [some Any], _ noun: String) -> String {
        "\(things.count) \(noun)\(things.count == 1 ? "" : "s")"
    }
}
