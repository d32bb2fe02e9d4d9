internal import Glibc

/// A program that is installed with this one.
enum SiblingProgram {
    /// Its path in the folder of the running binary, whatever link that was started by.
    static func path(_ name: String) throws -> String {
        // PATH_MAX bytes are the most that the kernel gives (path_resolution(7)).
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = readlink("/proc/self/exe", &buffer, Int(PATH_MAX))
        guard count > 0 else {
            let reason = String(cString: strerror(errno))
            throw CommandFailure(message: "/proc/self/exe cannot be read (\(reason)); start \(name) itself, or mount /proc")
        }
        let program = String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return program.prefix(through: program.lastIndex(of: "/") ?? program.startIndex) + name
    }
}
