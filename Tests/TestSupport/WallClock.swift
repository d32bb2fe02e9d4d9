import Foundation

/// Another wall clock for one process: `Tests/CrashPoint/wall_clock.c`.
package enum WallClock {
    /// The environment of a process whose wall clock is so many seconds ahead of the machine's; behind it where they
    /// are negative. Its clocks of elapsed time are the machine's.
    package static func environment(ahead seconds: Int) throws -> [String: String] {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let library = tests.appendingPathComponent("CrashPoint/build/wall_clock.so").path
        guard FileManager.default.fileExists(atPath: library) else {
            throw TestSupportError("\(library) is missing: run `make -C Tests/CrashPoint` first")
        }
        return ["LD_PRELOAD": library, "WALL_CLOCK_AHEAD": "\(seconds)"]
    }
}
