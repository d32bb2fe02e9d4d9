internal import ArgumentParser
internal import PrinterRegistry

/// `kioskd --check`: says whether a registry is valid.
enum RegistryCheck {
    static func run(_ path: String, profiles: ProfileLibrary?) throws {
        do {
            let registry = try Registry.read(path, profiles: profiles)
            print("\(path) is valid: \(Self.count(registry.printers, "printer")), \(Self.count(registry.roles, "role"))")
        } catch {
            print(error.message)
            throw ExitCode(StartError.Code.registryInvalid.rawValue)
        }
    }

    private static func count(_ things: [some Any], _ noun: String) -> String {
        "\(things.count) \(noun)\(things.count == 1 ? "" : "s")"
    }
}
