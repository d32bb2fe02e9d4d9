public import PrintModel

/// The printer model profiles that an installation has: one `NAME.yaml` each in a folder.
public struct ProfileLibrary: Hashable, Sendable {
    /// By name, ascending.
    public let profiles: [PrinterProfile]

    public init(_ profiles: [PrinterProfile]) {
        self.profiles = profiles.sorted { $0.name < $1.name }
    }

    public func profile(named name: String) -> PrinterProfile? { profiles.first { $0.name == name } }

    /// How documents reach a printer through a Unix host, as the profile that the registry names for it says.
    public func lprSettings(named name: String?) -> LprSettings {
        name.flatMap(profile(named:))?.lpr ?? LprSettings()
    }

    /// Reads every `*.yaml` of a folder; throws all problems of all files, each with its line and column. Refuses a
    /// file or folder that anybody but root and this program's user could change: a profile decides what printers are
    /// sent.
    ///
    /// Blocks on the disk: call it at start-up or off the cooperative pool.
    public static func load(_ folder: String) throws(RegistryError) -> ProfileLibrary {
        ProfileLibrary(try read(files(in: folder), beside: nil, isProtected: true))
    }
}
