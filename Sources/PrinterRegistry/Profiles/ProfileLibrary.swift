import DurableFiles
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

    /// A profile is a handful of lines.
    private static let maximumFileLength = 65_536
    private static let maximumFileCount = 1000
    private static let fileEnding = ".yaml"

    /// Reads every `*.yaml` of a folder; throws all problems of all files, each with its line and column.
    ///
    /// Blocks on the disk: call it at start-up or off the cooperative pool.
    public static func load(_ folder: String) throws(RegistryError) -> ProfileLibrary {
        var readers: [String: ProfileReader] = [:]
        do throws(FileError) {
            for name in try Folder.names(in: folder).filter({ $0.hasSuffix(fileEnding) && !$0.hasPrefix(".") }).prefix(maximumFileCount) {
                let path = "\(folder)/\(name)"
                let bytes = try AtomicFile.read(path, limit: maximumFileLength)
                let name = String(name.dropLast(fileEnding.count))
                readers[name] = ProfileReader(bytes, file: path, name: name)
            }
        } catch {
            throw RegistryError(.fileFailure, message: error.message)
        }
        let (profiles, problems) = ProfileFamily.read(readers)
        guard problems.isEmpty else { throw RegistryError(problems: problems) }
        return ProfileLibrary(profiles)
    }
}
