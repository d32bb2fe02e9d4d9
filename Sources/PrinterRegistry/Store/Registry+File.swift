import DurableFiles
import Glibc

extension Registry {
    /// Reads a registry's file and changes nothing, not even what is kept beside it. Throws every problem of the file.
    ///
    /// `user`: for whom root looks whether others could have changed it; nil is ourselves.
    ///
    /// Blocks on the disk: call it at start-up or off the cooperative pool.
    public static func read(
        _ path: String, profiles: ProfileLibrary? = nil, for user: UInt32? = nil
    ) throws(RegistryError) -> Registry {
        let content: [UInt8]
        do {
            content = try ProtectedFile.read(path, limit: YAMLLimits.maximumLength, for: user ?? geteuid())
        } catch {
            throw RegistryError(error)
        }
        return try RegistryReader.read(content, file: path, profiles: profiles).registry
    }
}
