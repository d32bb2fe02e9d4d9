import Foundation
import KioskSSH
import KioskTestSupport

@testable import KioskSSHLpr

/// A home folder on a host, with programs that replace the real ones, and a shell that runs the scripts there.
struct ScriptRunner {
    let home: TemporaryFolder
    private let path: String

    /// Makes an `lprm` that records its arguments, and this `lpr` and `lpq`.
    init(_ shell: HostShell, lpr: String = "exec cat >/dev/null", lpq: String = "echo nothing") throws {
        home = try TemporaryFolder()
        path = "\(home.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"
        try shell.link(into: home)
        try program("lpr", lpr)
        try program("lpq", lpq)
        try program("lprm", "echo \"$@\" >>\"$HOME/lprm.log\"")
    }

    func program(_ name: String, _ text: String) throws {
        try writeProgram("#!/bin/sh\n\(text)\n", to: home.appending(name))
    }

    /// Runs a script with `input` as its standard input.
    func run(
        _ script: ShellScript, _ arguments: [String], input: String = "", environment: [String: String] = [:]
    ) async throws -> ChildProcess.Result {
        try await run("exec <'\(try home.write(input, to: "input"))'; \(script.command(arguments).line)", environment)
    }

    /// Runs a script with the output of a shell command as its standard input.
    func run(_ script: ShellScript, _ arguments: [String], fedBy command: String) async throws -> ChildProcess.Result {
        try await run("{ \(command); } | (\(script.command(arguments).line))", [:])
    }

    private func run(_ line: String, _ environment: [String: String]) async throws -> ChildProcess.Result {
        try await ChildProcess.run(
            "/bin/sh", ["-c", line], environment: ["HOME": home.path, "PATH": path].merging(environment) { $1 })
    }

    /// The arguments that `lprm` got.
    var removed: String { (try? String(contentsOfFile: home.appending("lprm.log"), encoding: .utf8)) ?? "" }

    func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: home.appending(name)) }

    /// Our own files and folders in the home folder.
    func ownFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: home.path).filter { $0.hasPrefix(".kiosk-") }.sorted()
    }
}

/// The shells that a host may have as its `sh`.
enum HostShell: String, CaseIterable, Sendable {
    case dash, bash, busybox

    /// Links the shell into a folder as `sh`, the name under which all of them behave as POSIX shells.
    func link(into folder: TemporaryFolder) throws {
        let path = try InstalledProgram.path(rawValue, package: rawValue)
        try FileManager.default.createSymbolicLink(atPath: folder.appending("sh"), withDestinationPath: path)
    }
}
