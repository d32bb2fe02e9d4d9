import Foundation

/// A small file system over a folder, so that it is soon full; the folder is as it was once it goes. Needs root.
package final class FullDisk: Sendable {
    private let path: String

    package static var isPossible: Bool { geteuid() == 0 }

    package init(at path: String, kilobytes: Int = 256) async throws {
        self.path = path
        let mount = try InstalledProgram.path("mount", package: "mount")
        let made = try await ChildProcess.run(
            mount, ["-t", "tmpfs", "-o", "size=\(kilobytes)k,mode=0755", "tmpfs", path])
        guard made.end.isSuccess else { throw TestSupportError("mount failed: \(made.standardError)") }
    }

    deinit { umount2(path, Int32(MNT_DETACH)) }
}
