import Foundation

/// Python packages to compare with, in a place of their own: `Scripts/bootstrap test` puts them there.
package enum PythonPeers {
    /// The interpreter that has them; nil where they could not be fetched.
    package static let python: String? = {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
            path: "../../.build/peers/python/bin/python"
        ).standardized.path
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }()

    /// What a script writes to the file that its first argument names; nil where the packages could not be fetched.
    package static func output(
        of script: String, with arguments: [String] = [], deadline: Duration = .seconds(60)
    ) async throws -> [UInt8]? {
        guard let python else { return nil }
        let folder = try TemporaryFolder("python")
        let result = try await ChildProcess.run(
            python, ["-c", script, folder.appending("output")] + arguments, deadline: deadline)
        guard result.end.isSuccess else { throw TestSupportError("python: \(result.standardError)") }
        return try folder.read("output")
    }
}
