import Glibc
import KioskTerminal

/// A program that is installed beside this one.
enum SiblingProgram {
    /// The program's path, in the folder of the running binary. Links to that binary are resolved.
    private static func path(_ name: String) throws -> String {
        // The kernel returns at most PATH_MAX bytes (path_resolution(7)).
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = readlink("/proc/self/exe", &buffer, Int(PATH_MAX))
        guard count > 0 else {
            let reason = String(cString: strerror(errno))
            throw CommandFailure(
                message: "/proc/self/exe cannot be read (\(reason)); start \(name) itself, or mount /proc")
        }
        let program = String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return program.prefix(through: program.lastIndex(of: "/") ?? program.startIndex) + name
    }

    /// Replaces this program with another. Throws if that fails; `role` is for the message: what the program does.
    static func exec(_ name: String, _ arguments: [String], role: String) throws -> Never {
        let path = try path(name)
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        execv(path, &words)
        let reason = String(cString: strerror(errno))
        throw CommandFailure(
            message: "\(path) cannot be run (\(reason)); install \(name), which \(role), beside kioskctl")
    }
}
