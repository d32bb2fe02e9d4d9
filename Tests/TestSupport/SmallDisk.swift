import Foundation
import Glibc

/// A file system of a few megabytes, mounted for a test; that needs root with the right to mount.
package final class SmallDisk: Sendable {
    private let folder: TemporaryFolder

    package init(megabytes: Int = 4) throws {
        folder = try TemporaryFolder("disk")
        guard mount("kiosk-test", folder.path, "tmpfs", 0, "size=\(megabytes)m") == 0 else {
            throw TestSupportError.errno("mount", errno)
        }
    }

    deinit { umount2(folder.path, Int32(MNT_DETACH)) }

    package static var isPossible: Bool { (try? SmallDisk()) != nil }

    package var path: String { folder.path }

    /// Takes all the room that is left.
    package func fill() throws {
        let descriptor = open(folder.appending("filler"), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else { throw TestSupportError.errno("open", errno) }
        defer { close(descriptor) }
        let page = [UInt8](repeating: 0, count: 4096)
        while write(descriptor, page, page.count) > 0 {}
        guard errno == ENOSPC else { throw TestSupportError.errno("write", errno) }
    }

    /// Whether anything on it can be changed.
    package func setReadOnly(_ isReadOnly: Bool) throws {
        let flags = UInt(MS_REMOUNT) | (isReadOnly ? UInt(MS_RDONLY) : 0)
        guard mount("kiosk-test", folder.path, "tmpfs", flags, nil) == 0 else {
            throw TestSupportError.errno("mount", errno)
        }
    }

    package func makeRoom() throws {
        guard unlink(folder.appending("filler")) == 0 else { throw TestSupportError.errno("unlink", errno) }
    }
}

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
