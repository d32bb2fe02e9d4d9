import Foundation

/// The programs that process-level tests run.
package enum BuiltProducts {
    /// The folder that `KIOSK_PROGRAMS` names, which `Scripts/test` fills as `Scripts/build` does: optimised,
    /// statically linked and stripped, as people install them. Nil where a test run names none.
    package static let installed = ProcessInfo.processInfo.environment["KIOSK_PROGRAMS"].flatMap {
        $0.isEmpty ? nil : $0
    }

    /// The path of the program `name`: an installed one where there are any, else the one that was built beside the
    /// running tests.
    package static func path(_ name: String) throws -> String {
        let path = try "\(installed ?? folderOfTests())/\(name)"
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw TestSupportError(
                "\(path) is missing: run `\(installed == nil ? "swift build --build-tests" : "Scripts/build --output")` first"
            )
        }
        return path
    }

    private static func folderOfTests() throws -> String {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: program).deletingLastPathComponent().path
    }
}
