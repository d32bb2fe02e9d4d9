import Glibc
import KioskAPI
import KioskDurableFiles
import KioskPrinterRegistry

/// The paths of the daemon's files: state directory, registry, secrets, credentials and socket.
struct DaemonPaths: Equatable {
    var stateDirectory: String
    var registry: String
    /// Absolute; beside the registry's file unless it is named.
    var secrets: String
    /// `$CREDENTIALS_DIRECTORY`, where a service manager passes credentials.
    var credentialsDirectory: String?
    var socket: SocketLocation

    /// The places of the FHS for an installed service (root, or a service manager that names its folders), else the
    /// user's XDG base directories. Options of the command line come first.
    init(
        options: DaemonOptions, environment: (String) -> String?, isRoot: Bool, workingFolder: String = "/"
    ) throws(StartError) {
        func folder(_ key: String) -> String? {
            // systemd.exec(5): several folders are separated by colons; the first is the daemon's.
            guard let value = environment(key)?.split(separator: ":").first, value.hasPrefix("/") else { return nil }
            return String(value)
        }
        func home(_ key: String, _ standard: String) throws(StartError) -> String {
            if let base = folder(key) { return "\(base)/kioskd" }
            guard let home = folder("HOME") else {
                throw StartError(.usage, "neither $\(key) nor $HOME is set; name a directory with --state-dir")
            }
            return "\(home)/\(standard)/kioskd"
        }

        if let said = options.stateDir {
            stateDirectory = said
        } else if let service = folder("STATE_DIRECTORY") {
            stateDirectory = service
        } else {
            stateDirectory = isRoot ? "/var/lib/kioskd" : try home("XDG_STATE_HOME", ".local/state")
        }

        if let said = options.registry {
            registry = said
        } else if let said = options.stateDir {
            registry = "\(said)/printers.yaml"
        } else if let service = folder("CONFIGURATION_DIRECTORY") {
            registry = "\(service)/printers.yaml"
        } else {
            registry = (isRoot ? "/etc/kioskd" : try home("XDG_CONFIG_HOME", ".config")) + "/printers.yaml"
        }

        let beside = options.secrets ?? "\(Folder.parent(of: registry))/secrets.yaml"
        // Paths in it are told to others as they are; the folder that we are in says nothing to them.
        secrets = beside.hasPrefix("/") ? beside : "\(workingFolder)/\(beside)"
        credentialsDirectory = folder("CREDENTIALS_DIRECTORY")

        socket = SocketLocation.forDaemon(
            socket: options.socket, stateDirectory: options.stateDir, environment: environment, isRoot: isRoot
        )
    }
}

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
