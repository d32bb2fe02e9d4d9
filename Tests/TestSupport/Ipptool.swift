import Glibc

/// Debian's `ipptool`: an IPP client that was not written by us.
package enum Ipptool {
    /// Runs a test file (a path, or a name under /usr/share/cups/ipptool) against a printer.
    package static func run(
        _ test: String, on uri: String, file: String? = nil, variables: [String: String] = [:],
        options: [String] = ["-t"],
        deadline: Duration = .seconds(120)
    ) async throws -> ChildProcess.Result {
        // A suite ends silently, and successfully, where its file is missing.
        if let file, access(file, R_OK) != 0 { throw TestSupportError.errno("reading \(file)", errno) }
        let program = try InstalledProgram.path("ipptool", package: "cups-ipp-utils")
        let defined = variables.sorted { $0.key < $1.key }.flatMap { ["-d", "\($0.key)=\($0.value)"] }
        return try await ChildProcess.run(
            program, options + (file.map { ["-f", $0] } ?? []) + defined + [uri, test], deadline: deadline)
    }
}
