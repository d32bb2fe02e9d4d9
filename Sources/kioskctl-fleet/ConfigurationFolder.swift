import Glibc
import KioskFleet
import KioskPrinterRegistry
import KioskTerminal

/// A folder of configurations: `SITE.yaml` is the registry of a site.
struct ConfigurationFolder {
    /// By the sites' names, in order.
    let configurations: [(site: SiteName, text: [UInt8])]

    private static let suffix = ".yaml"

    /// Reads the configurations of `sites`, or of all where none is named, and checks each as a kiosk does. Throws all
    /// mistakes with file, line and column.
    init(_ path: String, sites: [SiteName]) throws(CommandFailure) {
        let names = sites.isEmpty ? try Self.names(in: path) : sites.map(\.text)
        guard !names.isEmpty else {
            throw CommandFailure(message: "\(path): it has no SITE\(Self.suffix); write one for each site")
        }
        var (read, problems): ([(site: SiteName, text: [UInt8])], [String]) = ([], [])
        for name in Set(names).sorted() {
            let file = "\(path.hasSuffix("/") ? String(path.dropLast()) : path)/\(name)\(Self.suffix)"
            do throws(CommandFailure) { read.append(try Self.read(file, name)) } catch {
                problems.append(error.message)
            }
        }
        guard problems.isEmpty else {
            // A line for each mistake.
            for line in problems.flatMap({ $0.split(separator: "\n") }) { Console.writeMessage(String(line)) }
            throw CommandFailure(message: "nothing was written; correct what is named above, and apply again")
        }
        configurations = read
    }

    /// The names of the folder's files without their ending.
    private static func names(in path: String) throws(CommandFailure) -> [String] {
        guard let folder = opendir(path) else {
            throw CommandFailure(message: "\(path): it cannot be read: \(String(cString: strerror(errno)))")
        }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            // Hidden files are editors' and version controls'.
            if name.hasSuffix(suffix), !name.hasPrefix(".") { names.append(String(name.dropLast(suffix.count))) }
        }
        return names
    }

    private static func read(_ file: String, _ name: String) throws(CommandFailure) -> (site: SiteName, text: [UInt8]) {
        let site: SiteName
        do { site = try SiteName(name) } catch { throw CommandFailure(message: "\(file): \(error)") }
        let text: [UInt8]
        do {
            text = try InputFile.read(file, limit: DesiredConfiguration.maximumLength + 1)
        } catch {
            throw CommandFailure(message: "\(file): it cannot be read: \(error)")
        }
        guard text.count <= DesiredConfiguration.maximumLength else {
            throw CommandFailure(message: "\(file): it is longer than \(DesiredConfiguration.maximumLength) bytes")
        }
        // An empty one takes all printers from a site: then its author says so.
        guard text.contains(where: { $0 > 0x20 }) else {
            throw CommandFailure(
                message: "\(file): it is empty; write \"version: 1\" if the site is to have no printer")
        }
        do {
            _ = try Registry.read(text, named: file)
        } catch {
            throw CommandFailure(message: error.message)
        }
        return (site, text)
    }
}
