import Glibc

extension DrawingService {
    package static let programName = "kiosk-draw"

    /// The program's path in the folder of the running binary, where it is installed. Only its name where the kernel
    /// doesn't tell that folder.
    package static func siblingProgram() -> String {
        // PATH_MAX bytes are the most that the kernel gives (path_resolution(7)).
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = readlink("/proc/self/exe", &buffer, Int(PATH_MAX))
        guard count > 0 else { return programName }
        let program = String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return program.prefix(through: program.lastIndex(of: "/") ?? program.startIndex) + programName
    }
}
