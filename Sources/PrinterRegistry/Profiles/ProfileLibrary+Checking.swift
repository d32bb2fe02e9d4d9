import DurableFiles
public import PrintModel

extension ProfileLibrary {
    /// Reads files as if they stood in a folder of profiles, whose profiles they may inherit from and replace; throws all that is wrong with these
    /// files, each problem with its line and column. A folder among them stands for all its profiles.
    ///
    /// Blocks on the disk: call it off the cooperative pool.
    public static func check(_ paths: [String], beside folder: String?) throws(RegistryError) -> [PrinterProfile] {
        var files: [String] = []
        for path in paths { files += path.hasSuffix(fileEnding) ? [path] : try Self.files(in: path) }
        var readers: [String: ProfileReader] = [:]
        for file in try folder.map({ path throws(RegistryError) in try Self.files(in: path) }) ?? [] { readers[name(of: file)] = try reader(of: file) }
        for file in files { readers[name(of: file)] = try reader(of: file) }
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

    static func reader(of file: String) throws(RegistryError) -> ProfileReader {
        do throws(FileError) {
            return ProfileReader(try AtomicFile.read(file, limit: maximumFileLength), file: file, name: name(of: file))
        } catch {
            throw RegistryError(.fileFailure, message: error.message)
        }
    }

    /// A profile is a handful of lines.
    private static let maximumFileLength = 65_536
    private static let maximumFileCount = 1000
    private static let fileEnding = ".yaml"
}
