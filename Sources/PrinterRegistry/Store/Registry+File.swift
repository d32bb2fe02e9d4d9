internal import DurableFiles

extension Registry {
    /// Reads a registry's file and changes nothing, not even what is kept beside it. Throws every problem of the file.
    ///
    /// Blocks on the disk: call it at start-up or off the cooperative pool.
    public static func read(_ path: String, profiles: ProfileLibrary? = nil) throws(RegistryError) -> Registry {
        let content: [UInt8]
        do {
            content = try AtomicFile.read(path, limit: YAMLLimits.maximumLength)
        } catch {
            throw RegistryError(.fileFailure, message: error.message)
        }
        return try RegistryReader.read(content, file: path, profiles: profiles).registry
    }
}
