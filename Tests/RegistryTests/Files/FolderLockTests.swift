import Foundation
import KioskDurableFiles
import KioskTestSupport
import Testing

@Suite struct FolderLockTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("files") }

    @Test func `holds the folder until it goes, and names its process`() throws {
        var lock: FolderLock? = try FolderLock(folder: folder.path)
        #expect(String(decoding: try folder.read("lock"), as: UTF8.self) == "\(getpid())\n")
        let error = #expect(throws: FileError.self) { try FolderLock(folder: folder.path) }
        #expect(error?.errno == EWOULDBLOCK)
        #expect(
            error?.message
                == "\(folder.path) is in use by this process itself (\(getpid())); stop that one, or choose another state directory"
        )
        withExtendedLifetime(lock) {}
        lock = nil
        _ = try FolderLock(folder: folder.path)
    }

    @Test func `names the other process, and gets the folder when that one is killed`() async throws {
        // The kernel's lock is the same for every program: util-linux's flock takes it as another daemon would.
        let path = try InstalledProgram.path("flock", package: "util-linux")
        try folder.write("", to: "lock")
        let script = "echo $$ > \(folder.appending("lock")); echo held; exec sleep 600"
        let holder = try ChildProcess(path, ["--no-fork", folder.appending("lock"), "sh", "-c", script])
        try await holder.waitForOutput("held")
        let error = #expect(throws: FileError.self) { try FolderLock(folder: folder.path) }
        #expect(error?.message.contains("in use by process \(holder.processID);") == true)
        holder.kill()
        try await holder.wait()
        _ = try FolderLock(folder: folder.path)
    }

    @Test func `does not follow a link that lies in the lock's place`() throws {
        try folder.write("precious", to: "victim")
        try FileManager.default.createSymbolicLink(atPath: folder.appending("lock"), withDestinationPath: "victim")
        #expect(throws: FileError.self) { try FolderLock(folder: folder.path) }
        #expect(try folder.read("victim") == Array("precious".utf8))
    }

    @Test func `a lock whose holder is not written says another process`() async throws {
        let path = try InstalledProgram.path("flock", package: "util-linux")
        let holder = try ChildProcess(
            path, ["--no-fork", folder.appending("lock"), "sh", "-c", "echo held; exec sleep 600"])
        try await holder.waitForOutput("held")
        let error = #expect(throws: FileError.self) { try FolderLock(folder: folder.path) }
        #expect(error?.message.contains("in use by another process;") == true)
        holder.kill()
        try await holder.wait()
    }
}
