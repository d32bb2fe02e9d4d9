import DurableFiles
import PrintModel

/// A registry's file, and the last good registry that was read from it.
///
/// A broken, missing or emptied file never empties the registry in force, nor does one that anybody but root and this
/// program's user could have changed: whoever writes it says where printers' logins go. Saving changes only what was
/// edited, is atomic and durable, starts from the newest content of the file, and keeps ten previous versions beside it
/// (`printers.yaml.~N~`, the highest number is the newest). Two programs may share a file; each saves under a lock on
/// its folder.
public actor RegistryStore {
    public nonisolated let path: String
    private let executor = FileExecutor()
    private let hub = ChangeHub()
    private let profiles: ProfileLibrary?

    /// The registry in force.
    public private(set) var registry: Registry
    /// Why the file, as it is now, is not in force; nil when it is.
    public private(set) var problem: RegistryError?
    /// The content that `registry` was read from; nil before there was one.
    private var goodContent: [UInt8]?
    /// The content that was last read, good or not; nil where there was no file.
    private var lastContent: [UInt8]?

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Every change from now on; each use is a stream of its own.
    public nonisolated var changes: AsyncStream<RegistryChange> { hub.stream() }

    /// Opens a registry's file. One that is missing is an empty registry; the first save creates it. For one that is
    /// broken, unreadable or was emptied the newest good previous version comes into force, and `problem` says what is
    /// wrong.
    public init(path: String, profiles: ProfileLibrary? = nil) async {
        self.path = path
        self.profiles = profiles
        registry = Registry(unchecked: [], roles: [], profiles: profiles)
        load()
    }

    /// Reads the file again, as on SIGHUP. Throws what is wrong with it; then the last good registry stays in force.
    public func reload() throws(RegistryError) {
        do throws(RegistryError) {
            let content = try readFile()
            // What we saved ourselves, or a touch: nothing to tell.
            if content == lastContent, problem?.code != .fileFailure, problem?.code != .unprotected {
                return try throwProblem()
            }
            lastContent = content
            guard let content else {
                guard goodContent != nil else { return }
                throw missing
            }
            // Many programs empty a file before they write it.
            if content.isEmpty, goodContent?.isEmpty == false { throw emptied }
            adopt(try RegistryReader.read(content, file: path, profiles: profiles).registry, from: content)
        } catch {
            refuse(error)
            throw error
        }
    }

    private func throwProblem() throws(RegistryError) {
        if let problem { throw problem }
    }
}

extension RegistryStore {
    /// Changes the registry: `edit` gets the newest content of the file and answers what it shall become. Returns once
    /// that is durable, and in force.
    ///
    /// Throws what `edit` throws, and what `reload` throws when the file has an error: it is never written over.
    @discardableResult
    public func update(_ edit: @Sendable (Registry) throws -> Registry) throws -> Registry {
        do {
            // Not the file's own lock: it is replaced by each save.
            try Folder.create(Folder.parent(of: path))
            return try Folder.withLock(on: Folder.parent(of: path)) { try updateLocked(edit) }
        } catch let error as FileError {
            throw RegistryError(.fileFailure, message: error.message)
        }
    }

    private func updateLocked(_ edit: (Registry) throws -> Registry) throws -> Registry {
        // Somebody may have edited the file a moment ago: what they wrote is the ground to build on. A file that is
        // gone is written anew from the last good content.
        do { try reload() } catch { if problem != missing { throw error } }
        let edited = try edit(registry)
        guard edited.printers != registry.printers || edited.roles != registry.roles else { return registry }
        let new = try Registry(printers: edited.printers, roles: edited.roles, profiles: profiles)
        let content = try RegistryWriter.write(new, over: goodContent, file: path)
        // The one that is replaced first: without it the save must not happen.
        if let goodContent { try versions.keep(goodContent) }
        try AtomicFile.replace(path, with: content, permissions: 0o640, keepingPermissions: true)
        lastContent = content
        adopt(new, from: content)
        return new
    }

    private func load() {
        do throws(RegistryError) {
            lastContent = try readFile()
            guard let content = lastContent else { return }
            // What is left of a file that was written in place when the power went.
            if content.isEmpty, newestGoodVersion?.bytes.isEmpty == false { throw emptied }
            adopt(try RegistryReader.read(content, file: path, profiles: profiles).registry, from: content)
        } catch {
            if let version = newestGoodVersion {
                registry = version.output.registry
                goodContent = version.bytes
            }
            refuse(error)
        }
    }

    private var newestGoodVersion: (bytes: [UInt8], output: RegistryReader.Output)? {
        try? versions.newestGood { try? RegistryReader.read($0, file: path, profiles: profiles) }
    }

    private var versions: RegistryVersions { RegistryVersions(path: path) }

    /// The file's content; nil when there is none.
    private func readFile() throws(RegistryError) -> [UInt8]? {
        do throws(FileError) {
            return try ProtectedFile.read(path, limit: YAMLLimits.maximumLength)
        } catch {
            if error.isNotFound { return nil }
            throw RegistryError(error)
        }
    }

    private var missing: RegistryError {
        RegistryError(.fileFailure, message: "\(path) is gone; put it back, or save a printer to write it anew")
    }

    private var emptied: RegistryError {
        RegistryError(
            .fileFailure,
            message: "\(path) is empty; put its text back, or write \"version: 1\" into it if no printer is to be left")
    }

    private func adopt(_ registry: Registry, from content: [UInt8]) {
        self.registry = registry
        goodContent = content
        problem = nil
        // Best effort here: a folder that takes no version takes no save either, and the save tells so.
        try? versions.keep(content)
        hub.publish(.reloaded(registry))
    }

    private func refuse(_ error: RegistryError) {
        // The same error, seen again, is no news.
        guard problem != error else { return }
        problem = error
        hub.publish(.refused(error))
    }
}
