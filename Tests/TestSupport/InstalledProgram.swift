import Foundation

/// Programs of the system that tests use as independent peers.
package enum InstalledProgram {
    /// The absolute path of a program, or an error that names the Debian package to install.
    package static func path(_ name: String, package: String) throws -> String {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        for folder in folders + ["/usr/sbin", "/usr/bin", "/sbin", "/bin"] {
            let path = "\(folder)/\(name)"
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        throw TestSupportError("\(name) is not installed: run `apt-get install -y --no-install-recommends \(package)`")
    }
}
