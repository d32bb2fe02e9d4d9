import Glibc

/// Symbolic links on the way to a file.
package enum FileLinks {
    /// Every symbolic link that a path leads over, in order, folders included, and then the file itself, whether or not
    /// it exists.
    ///
    /// Each path's folder is free of links. Blocks on the disk.
    package static func way(to path: String) -> [String] {
        var way: [String] = []
        var place = path.hasPrefix("/") ? "/" : folderOfProcess()
        var rest = path.split(separator: "/").map(String.init)
        while !rest.isEmpty {
            let name = rest.removeFirst()
            if name == "." { continue }
            if name == ".." {
                place = Folder.parent(of: place)
                continue
            }
            let entry = place == "/" ? "/\(name)" : "\(place)/\(name)"
            if way.count < mostLinks, let target = target(of: entry) {
                way.append(entry)
                if target.hasPrefix("/") { place = "/" }
                rest = target.split(separator: "/").map(String.init) + rest
            } else {
                place = entry
            }
        }
        return way + [place]
    }

    /// The most links that Linux follows (path_resolution(7)).
    private static let mostLinks = 40

    private static func target(of path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
    }

    private static func folderOfProcess() -> String {
        guard let resolved = realpath(".", nil) else { return "." }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
