import Glibc

/// Whole files, read and written.
enum Files {
    /// At most so many bytes; `-` is the standard input.
    static func read(_ path: String, limit: Int) throws -> [UInt8] {
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileTrouble("read", path, errno) }
        defer { if path != "-" { close(descriptor) } }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count < limit {
            let count = Glibc.read(descriptor, &buffer, min(buffer.count, limit - bytes.count))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileTrouble("read", path, errno) }
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return bytes
    }

    /// In place of what is there.
    static func write(_ bytes: [UInt8], to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw FileTrouble("write", path, errno) }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileTrouble("write", path, errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// Whole at once: whoever looks for it finds all of it, or nothing.
    static func place(_ bytes: [UInt8], at path: String) throws {
        let partial = "\(path).partial"
        try write(bytes, to: partial)
        guard rename(partial, path) == 0 else { throw FileTrouble("write", path, errno) }
    }

    /// `name.png` of one page; of several, `name-1.png` and so on.
    static func page(_ index: Int, of count: Int, _ path: String) -> String {
        guard count > 1 else { return path }
        guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return "\(path)-\(index + 1)" }
        return "\(path[..<dot])-\(index + 1)\(path[dot...])"
    }
}

/// A file that cannot be used.
struct FileTrouble: Error, CustomStringConvertible {
    var description: String

    init(_ verb: String, _ path: String, _ code: Int32) {
        description = "cannot \(verb) \(path): \(String(cString: strerror(code)))"
    }
}
