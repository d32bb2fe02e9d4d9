import Foundation
import KioskTestSupport

/// Where in its work with disk and network a daemon is ended: `crash_point.c`.
struct CrashPoint: Hashable, Sendable, CustomStringConvertible {
    enum Kind: String, CaseIterable, Sendable {
        /// Before bytes are forced to the disk, and when that is done and nobody knows yet.
        case fsync, fsynced
        /// Before a printer or a till is told something, when that was written, and when something was read.
        case send, sent, received
    }

    var kind: Kind
    /// Counts from 1, from the daemon's start on.
    var number: Int

    var description: String { "\(kind.rawValue):\(number)" }

    func environment() throws -> [String: String] {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let library = tests.appendingPathComponent("CrashPoint/build/crash_point.so").path
        guard FileManager.default.fileExists(atPath: library) else {
            throw TestSupportError("\(library) is missing: run `make -C Tests/CrashPoint` first")
        }
        return ["LD_PRELOAD": library, "CRASH_POINT": description]
    }
}
