import DurableFiles
public import PrintModel

extension ProfileLibrary {
    /// Reads files as if they stood in a folder of profiles, whose profiles they may inherit from and replace; throws
    /// all that is wrong with these files, each problem with its line and column. A folder among them stands for all
    /// its profiles.
    ///
    /// Blocks on the disk: call it off the cooperative pool.
    public static func check(_ paths: [String], beside folder: String?) throws(RegistryError) -> [PrinterProfile] {
        try read(paths, beside: folder)
    }

    /// The same; with `isProtected`, refuses files that others could have changed.
    static func read(
        _ paths: [String], beside folder: String?, isProtected: Bool = false
    ) throws(RegistryError) -> [PrinterProfile] {
        var files: [String] = []
        for path in paths { files += path.hasSuffix(fileEnding) ? [path] : try Self.files(in: path) }
        var readers: [String: ProfileReader] = [:]
        for file in try folder.map({ path throws(RegistryError) in try Self.files(in: path) }) ?? [] {
            readers[name(of: file)] = try reader(of: file)
        }
        for file in files { readers[name(of: file)] = try reader(of: file, isProtected: isProtected) }
        let (profiles, problems) = ProfileFamily.read(readers)
        let theirs = problems.filter { files.contains($0.file) }
        guard theirs.isEmpty else { throw RegistryError(problems: theirs) }
        let names = Set(files.map(name(of:)))
        return profiles.filter { names.contains($0.name) }
    }

    /// `epson-tm` for `/usr/share/kioskd/profiles/epson-tm.yaml`.
    private static func name(of file: String) -> String {
        let name = file.split(separator: "/").last.map(String.init) ?? file
        return String(name.dropLast(fileEnding.count))
    }

    /// The profiles of a folder.
    static func files(in folder: String) throws(RegistryError) -> [String] {
        do throws(FileError) {
            let names = try Folder.names(in: folder).filter { $0.hasSuffix(fileEnding) && !$0.hasPrefix(".") }
            return names.prefix(maximumFileCount).map { "\(folder)/\($0)" }
        } catch {
            throw RegistryError(.fileFailure, message: error.message)
        }
    }

    /// `isProtected`: refuses a file that others could have changed.
    static func reader(of file: String, isProtected: Bool = false) throws(RegistryError) -> ProfileReader {
        do throws(FileError) {
            let content =
                try isProtected
                ? ProtectedFile.read(file, limit: maximumFileLength) : AtomicFile.read(file, limit: maximumFileLength)
            return ProfileReader(content, file: file, name: name(of: file))
        } catch {
            throw RegistryError(error)
        }
    }

    /// A profile is a handful of lines.
    private static let maximumFileLength = 65_536
    private static let maximumFileCount = 1000
    private static let fileEnding = ".yaml"
}
