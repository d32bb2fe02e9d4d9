import Foundation
import KioskTestSupport

/// The wall clock of a process, which can be set while it runs: Debian's libfaketime. Elapsed time goes on as it is.
final class SetClock: Sendable {
    private let folder: TemporaryFolder
    private var path: String { folder.appending("offset") }

    init() throws {
        folder = try TemporaryFolder("clock")
        try set(days: 0)
    }

    func set(days: Int) throws {
        let text = days < 0 ? "\(days * 86_400)" : "+\(days * 86_400)"
        // The reader finds the old one or the new one.
        try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    func environment() throws -> [String: String] {
        let folders = try FileManager.default.contentsOfDirectory(atPath: "/usr/lib").filter {
            $0.hasSuffix("-linux-gnu")
        }
        let libraries = folders.map { "/usr/lib/\($0)/faketime/libfaketimeMT.so.1" }
        guard let library = libraries.first(where: FileManager.default.fileExists) else {
            throw TestSupportError(
                "libfaketime is not installed: run `apt-get install -y --no-install-recommends libfaketime`")
        }
        return [
            "LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": path, "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1", "NO_FAKE_STAT": "1",
        ]
    }
}
