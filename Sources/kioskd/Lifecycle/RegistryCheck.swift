internal import ArgumentParser
internal import PrinterRegistry

/// `kioskd --check`: says whether a registry is valid.
enum RegistryCheck {
    static func run(_ path: String, profiles: ProfileLibrary?) async throws {
        let store = await RegistryStore(path: path, profiles: profiles)
        if let problem = await store.problem {
            print(problem)
            throw ExitCode(StartError.Code.registryInvalid.rawValue)
        }
        let registry = await store.registry
        print("\(path) is valid: \(registry.printers.count) printers, \(registry.roles.count) roles")
    }
}
