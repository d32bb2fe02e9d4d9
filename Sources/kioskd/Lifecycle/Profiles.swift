import Glibc
import PrinterRegistry

/// The printer profiles of this installation.
enum Profiles {
    private static let installed = ["/usr/local/share/kioskd/profiles", "/usr/share/kioskd/profiles"]

    /// The folder that is named, else the installed one; nil where there is none.
    static func folder(_ named: String?) -> String? { named ?? installed.first { access($0, R_OK | X_OK) == 0 } }

    /// Those of the folder that is named, else the installed ones; nil where there are none: then any profile's name
    /// is let through.
    static func load(_ folder: String?) throws(StartError) -> ProfileLibrary? {
        guard let folder = Self.folder(folder) else { return nil }
        do {
            return try ProfileLibrary.load(folder)
        } catch {
            throw StartError(.registryInvalid, error.message)
        }
    }
}
