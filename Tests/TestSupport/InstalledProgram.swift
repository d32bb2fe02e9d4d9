import Foundation
import Glibc

/// Programs of the system that tests use as independent peers.
package enum InstalledProgram {
    /// The absolute path of a program, or an error that names the Debian package to install.
    package static func path(_ name: String, package: String) throws -> String {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        for folder in folders + ["/usr/sbin", "/usr/bin", "/sbin", "/bin"] {
            let path = "\(folder)/\(name)"
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        throw TestSupportError("\(name) is not installed: run `apt-get install -y --no-install-recommends \(package)`")
    }
}

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

/// Debian's `zbarimg`, which reads barcodes and QR codes from a picture.
package enum Zbar {
    /// The symbols in a PNG file, in no certain order. UPC and DataBar are read too, which are off by default.
    package static func read(_ png: [UInt8]) async throws -> [DecodedSymbol] {
        let folder = try TemporaryFolder("zbar")
        let file = try folder.write(png, to: "paper.png")
        let program = try InstalledProgram.path("zbarimg", package: "zbar-tools")
        let result = try await ChildProcess.run(
            program, ["--quiet", "--nodbus", "-Supca.enable", "-Supce.enable", "-Sdatabar.enable", file])
        return DecodedSymbol.parse(result.standardOutput)
    }
}

/// A barcode or two-dimensional symbol as a program decoded it from a picture.
package struct DecodedSymbol: Hashable, Sendable {
    /// The symbology, by the program's name for it.
    package var kind: String
    package var data: String

    package init(kind: String, data: String) {
        self.kind = kind
        self.data = data
    }

    /// Parses lines of a kind, a colon and the data.
    package static func parse(_ lines: String) -> [DecodedSymbol] {
        lines.split(separator: "\n").map { line in
            let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
            return DecodedSymbol(kind: parts[0], data: parts.count > 1 ? parts[1] : "")
        }
    }
}

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
