import Foundation
import Glibc
import KioskTestSupport

/// A disk with an ext4 file system and a cache that is lost with the power: `power_disk.c`. It needs root, loop mounts
/// and FUSE.
final class PowerDisk {
    private let folder: TemporaryFolder
    private var disk: ChildProcess?
    /// Where the file system is, while there is power.
    let path: String

    private var image: String { folder.appending("image") }
    private var device: String { folder.appending("device") }

    static var isPossible: Bool {
        get async {
            guard let disk = try? await PowerDisk(megabytes: 8) else { return false }
            return (try? await disk.powerOn()) != nil
        }
    }

    init(megabytes: Int = 64) async throws {
        folder = try TemporaryFolder("power")
        path = folder.appending("root")
        for path in [path, device] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }
        try await Self.run("truncate", "coreutils", ["-s", "\(megabytes)M", image])
        // Nothing is written later that could have been written at once.
        try await Self.run(
            "mkfs.ext4", "e2fsprogs", ["-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", image])
    }

    deinit {
        umount2(path, Int32(MNT_DETACH))
        disk?.kill()
        umount2(device, Int32(MNT_DETACH))
    }

    func powerOn() async throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let program = tests.appendingPathComponent("CrashPoint/build/power_disk").path
        guard FileManager.default.fileExists(atPath: program) else {
            throw TestSupportError("\(program) is missing: run `make -C Tests/CrashPoint` first")
        }
        let disk = try ChildProcess(program, [device, image])
        self.disk = disk
        try await disk.waitForOutput("ready")
        try await Self.run("mount", "mount", ["-o", "loop", "\(device)/disk", path])
    }

    /// Has all on disk that was written.
    func flush() async throws { try await Self.run("sync", "coreutils", ["-f", path]) }

    /// The loss of power: the process ends, and then nothing of the disk's cache is left, all of it, or any part of it,
    /// as the seed says. Returns how many sectors were at stake.
    func cutPower(seed: Int, of process: ChildProcess) async throws -> Int {
        guard let disk else { throw TestSupportError("the disk has no power") }
        try disk.write("cut \(folder.appending("left")) \(seed) \(process.processID)\n")
        try await disk.waitForOutput("cut ")
        try await process.wait()
        // What is written now is written to nowhere.
        try await Self.run("umount", "mount", [path])
        disk.closeInput()
        try await disk.wait()
        self.disk = nil
        guard rename(folder.appending("left"), image) == 0 else { throw TestSupportError.errno("rename", errno) }
        return disk.standardOutput.split(separator: "cut ").last.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }

    /// Whether the file system, its journal replayed, is without fault. It is a copy that is looked at.
    func isSound() async throws -> Bool {
        let copy = folder.appending("copy")
        try? FileManager.default.removeItem(atPath: copy)
        try FileManager.default.copyItem(atPath: image, toPath: copy)
        let program = try InstalledProgram.path("fsck.ext4", package: "e2fsprogs")
        _ = try await ChildProcess.run(program, ["-p", "-E", "journal_only", copy])
        return try await ChildProcess.run(program, ["-f", "-n", copy]).end.isSuccess
    }

    private static func run(_ program: String, _ package: String, _ arguments: [String]) async throws {
        let result = try await ChildProcess.run(try InstalledProgram.path(program, package: package), arguments)
        guard result.end.isSuccess else { throw TestSupportError("\(program) \(arguments): \(result.standardError)") }
    }
}
