import Foundation
import KioskTestSupport

/// Where in its work a kioskd is stopped, to go on after SIGCONT: `crash_point.c`.
enum StopPoint {
    /// `point`: such as `write:TEXT`, before the first write to a socket with this text, or `written:TEXT`, after it.
    static func environment(_ point: String) throws -> [String: String] {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let library = tests.appendingPathComponent("CrashPoint/build/crash_point.so").path
        guard FileManager.default.fileExists(atPath: library) else {
            throw TestSupportError("\(library) is missing: run `make -C Tests/CrashPoint` first")
        }
        return ["LD_PRELOAD": library, "CRASH_POINT": point, "CRASH_SIGNAL": "STOP"]
    }

    /// Returns once the process is stopped.
    static func wait(for process: Int32) async throws {
        try await eventually("process \(process) to be stopped") {
            let line = String(decoding: try readFile("/proc/\(process)/stat"), as: UTF8.self)
            // The name stands in parentheses and may hold any character; the state comes behind it.
            return line.split(separator: ")").last?.split(separator: " ").first == "T"
        }
    }
}
