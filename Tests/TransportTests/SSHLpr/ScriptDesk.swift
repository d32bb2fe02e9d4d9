import Foundation
import SSH
import TestSupport

@testable import SSHLpr

/// A home on a host, with programs in it that stand before the real ones, and the scripts as its `sh` runs them.
struct ScriptDesk {
    let home: TemporaryFolder
    private let path: String

    /// With an `lprm` that keeps what it was told, and this `lpr` and `lpq`.
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

    /// Runs a script with `input` before it.
    func run(
        _ script: ShellScript, _ arguments: [String], input: String = "", environment: [String: String] = [:]
    ) async throws -> ChildProcess.Result {
        try await run("exec <'\(try home.write(input, to: "input"))'; \(script.command(arguments).line)", environment)
    }

    /// Runs a script with what a shell's command writes before it.
    func run(_ script: ShellScript, _ arguments: [String], fedBy command: String) async throws -> ChildProcess.Result {
        try await run("{ \(command); } | (\(script.command(arguments).line))", [:])
    }

    private func run(_ line: String, _ environment: [String: String]) async throws -> ChildProcess.Result {
        try await ChildProcess.run(
            "/bin/sh", ["-c", line], environment: ["HOME": home.path, "PATH": path].merging(environment) { $1 })
    }

    /// What `lprm` was told.
    var removed: String { (try? String(contentsOfFile: home.appending("lprm.log"), encoding: .utf8)) ?? "" }

    func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: home.appending(name)) }

    /// Our own files and folders in it.
    func ownFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: home.path).filter { $0.hasPrefix(".kiosk-") }.sorted()
    }
}
