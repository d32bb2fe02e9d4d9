import Foundation
import KioskDaemonSupport
import KioskTestSupport

/// A scenario in Debian's Chromium: a Python script in Tests/Browser that drives it by Playwright (PyPI).
struct BrowserScenario {
    private let process: ChildProcess

    /// Whether there are a browser and what drives it.
    static let isPossible =
        BrowserPeers.python != nil && FileManager.default.isExecutableFile(atPath: "/usr/bin/chromium")

    /// Starts the script, in a network of the test's own where there is one, and writes its settings to it.
    init(_ script: String, _ settings: [String: String], in network: TestNetwork? = nil) throws {
        guard let python = BrowserPeers.python else { throw TestSupportError("Playwright is missing") }
        let command = try (network?.command ?? []) + [python, "-u", BrowserPeers.folder + "/" + script]
        process = try ChildProcess(command[0], Array(command.dropFirst()), outputLimit: 16 << 20)
        let line = try JSONSerialization.data(withJSONObject: settings, options: .sortedKeys)
        try process.write(String(decoding: line, as: UTF8.self) + "\n")
    }

    /// Waits for its end, and does what it asks for meanwhile. Throws what it found wrong. Returns what it passed.
    func run(
        deadline: Duration = .seconds(240), _ act: (String) async throws -> Void = { _ in }
    ) async throws -> [String] {
        var seen = 0
        try await eventually("the end of the scenario", deadline: deadline) {
            let hasEnded = !process.isRunning
            for line in lines.dropFirst(seen) {
                seen += 1
                guard !line.hasPrefix("passed "), !line.hasPrefix("note ") else { continue }
                try await act(line)
                try process.write("done\n")
            }
            return hasEnded
        }
        guard try await process.wait().isSuccess else {
            throw TestSupportError("\(process.standardOutput)\n\(process.standardError)")
        }
        return lines.filter { $0.hasPrefix("passed ") }.map { String($0.dropFirst("passed ".count)) }
    }

    /// What is behind the last line feed may be a part of a line.
    private var lines: [String] {
        process.standardOutput.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
}

/// What `Scripts/bootstrap test` fetches to drive a browser and to try the API.
enum BrowserPeers {
    /// The folder of the scenarios.
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../Browser")
        .standardized.path

    /// The interpreter that has them; nil where they could not be fetched.
    static let python: String? = {
        let path = URL(fileURLWithPath: folder).appending(path: "../../.build/peers/browser/bin/python").standardized
            .path
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }()
}
