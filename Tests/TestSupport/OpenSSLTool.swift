/// Debian's `openssl` program.
package enum OpenSSLTool {
    /// Runs it to its end and returns its standard output; throws with what it said when it fails.
    @discardableResult
    package static func run(_ arguments: [String], input: String = "") async throws -> String {
        let program = try InstalledProgram.path("openssl", package: "openssl")
        // No settings of the machine: the CA's are written for each certificate.
        let result = try await ChildProcess.run(
            program, arguments, environment: ["OPENSSL_CONF": "/dev/null"], input: input)
        guard result.end.isSuccess else {
            throw TestSupportError("openssl \(arguments.joined(separator: " ")) failed: \(result.standardError)")
        }
        return result.standardOutput
    }
}
