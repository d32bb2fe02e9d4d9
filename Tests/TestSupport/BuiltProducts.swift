import Foundation

/// The programs that were built together with the running tests.
package enum BuiltProducts {
    /// The path of `name` beside the running test program.
    package static func path(_ name: String) throws -> String {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let path = URL(fileURLWithPath: program).deletingLastPathComponent().appendingPathComponent(name).path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw TestSupportError("\(path) is missing: run `swift build --build-tests` first")
        }
        return path
    }
}
