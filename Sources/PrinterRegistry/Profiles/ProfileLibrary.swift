import KioskDurableFiles
public import KioskPrintModel

/// The printer profiles of an installation: a folder with one `NAME.yaml` for each.
public struct ProfileLibrary: Hashable, Sendable {
    /// Ordered by name.
    public let profiles: [PrinterProfile]

    /// Bytes. A profile has only a few lines.
    private static let maximumFileLength = 65_536
    private static let maximumFileCount = 1000
    private static let fileEnding = ".yaml"

    /// A library of these profiles, in whatever order.
    public init(_ profiles: [PrinterProfile]) {
        self.profiles = profiles.sorted { $0.name < $1.name }
    }

    /// The profile of this name; nil where there is none.
    public func profile(named name: String) -> PrinterProfile? { profiles.first { $0.name == name } }

    /// The settings for printing through a Unix host, from the profile that the registry names for a printer.
    public func lprSettings(named name: String?) -> LprSettings {
        name.flatMap(profile(named:))?.lpr ?? LprSettings()
    }

    /// Reads every `*.yaml` of a folder; throws all problems of all files, each with its line and column. Refuses files
    /// and folders that anyone but root and this program's user could change: a profile controls what is sent to
    /// printers.
    ///
    /// Blocks on the disk: call it at start-up or off the cooperative pool.
    public static func load(_ folder: String) throws(RegistryError) -> ProfileLibrary {
        ProfileLibrary(try read(files(in: folder), beside: nil, isProtected: true))
    }

    /// Reads files as if they were in a folder of profiles, whose profiles they may inherit from and replace; throws
    /// all problems of these files, each with its line and column. A folder in `paths` stands for all its profiles.
    ///
    /// Blocks on the disk: call it off the cooperative pool.
    public static func check(_ paths: [String], beside folder: String?) throws(RegistryError) -> [PrinterProfile] {
        try read(paths, beside: folder)
    }

    /// Reads files beside a folder, as `check` does. With `isProtected`, refuses files that others could have changed.
    private static func read(
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
        let ownProblems = problems.filter { files.contains($0.file) }
        guard ownProblems.isEmpty else { throw RegistryError(problems: ownProblems) }
        let names = Set(files.map(name(of:)))
        return profiles.filter { names.contains($0.name) }
    }

    /// The profile's name: `epson-tm` for `/usr/share/kioskd/profiles/epson-tm.yaml`.
    private static func name(of file: String) -> String {
        String(Folder.name(of: file).dropLast(fileEnding.count))
    }

    /// The paths of a folder's profiles.
    private static func files(in folder: String) throws(RegistryError) -> [String] {
        do throws(FileError) {
            let names = try Folder.names(in: folder).filter { $0.hasSuffix(fileEnding) && !$0.hasPrefix(".") }
            return names.prefix(maximumFileCount).map { "\(folder)/\($0)" }
        } catch {
            throw RegistryError(.fileFailure, message: error.message)
        }
    }

    /// The reader of a file. With `isProtected`, refuses a file that others could have changed.
    private static func reader(of file: String, isProtected: Bool = false) throws(RegistryError) -> ProfileReader {
        do throws(FileError) {
            let content =
                try isProtected
                ? ProtectedFile.read(file, limit: maximumFileLength) : AtomicFile.read(file, limit: maximumFileLength)
            return ProfileReader(content, file: file, name: name(of: file))
        } catch {
            throw RegistryError(error)
        }
    }
}

/// Profiles that inherit from each other. Parents are read first.
private struct ProfileFamily {
    /// The readers of all files, by profile name.
    private var readers: [String: ProfileReader]
    /// The profiles read so far, by name; nil for one that could not be read.
    private var drafts: [String: PrinterProfile?] = [:]

    /// The profiles of all files, and the problems of all files, in the order of their names.
    static func read(_ readers: [String: ProfileReader]) -> (profiles: [PrinterProfile], problems: [RegistryProblem]) {
        var family = ProfileFamily(readers: readers)
        let names = readers.keys.sorted()
        let profiles = names.compactMap { family.profile($0, descendants: []) }
        return (profiles, names.flatMap { family.readers[$0]?.yaml.sortedProblems ?? [] })
    }

    private init(readers: [String: ProfileReader]) { self.readers = readers }

    private mutating func profile(_ name: String, descendants: [String]) -> PrinterProfile? {
        if let draft = drafts[name] { return draft }
        let parent = self.parent(of: name, descendants: descendants + [name])
        let draft = readers[name]?.profile(over: parent)
        drafts[name] = .some(draft)
        return draft
    }

    /// The parent of a profile. Nil where there is none, or where it is invalid, which is a problem.
    private mutating func parent(of name: String, descendants: [String]) -> PrinterProfile? {
        guard let parent = readers[name]?.parent else { return nil }
        guard readers[parent.name] != nil else {
            let others = readers.keys.filter { $0 != name }.sorted()
            readers[name]?.yaml.report(
                "there is no profile \"\(parent.name)\" to inherit from", at: parent.position,
                instead: Suggestion.instead(of: parent.name, among: others, otherwise: "the name of another profile"))
            return nil
        }
        if let start = descendants.firstIndex(of: parent.name) {
            let cycle = (descendants[start...] + [parent.name]).joined(separator: " → ")
            readers[name]?.yaml.report(
                "the profile inherits from itself: \(cycle)", at: parent.position,
                instead: "a profile that does not inherit from this one")
            return nil
        }
        return profile(parent.name, descendants: descendants)
    }
}
