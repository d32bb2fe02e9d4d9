import Foundation
import Glibc
import KioskAPI
import PrintModel
import SimulatedPrinter
import TestSupport
import Testing

/// A file system of a few megabytes, mounted for a test; that needs root with the right to mount.
private final class SmallDisk: Sendable {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder("disk")
        guard mount("kiosk-test", folder.path, "tmpfs", 0, "size=4m") == 0 else { throw TestSupportError.errno("mount", errno) }
    }

    deinit { umount2(folder.path, Int32(MNT_DETACH)) }

    static var isPossible: Bool { (try? SmallDisk()) != nil }

    var path: String { folder.path }

    /// Takes all the room that is left.
    func fill() throws {
        let descriptor = open(folder.appending("filler"), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else { throw TestSupportError.errno("open", errno) }
        defer { close(descriptor) }
        let page = [UInt8](repeating: 0, count: 4096)
        while write(descriptor, page, page.count) > 0 {}
        guard errno == ENOSPC else { throw TestSupportError.errno("write", errno) }
    }

    func makeRoom() throws {
        guard unlink(folder.appending("filler")) == 0 else { throw TestSupportError.errno("unlink", errno) }
    }
}

/// A full disk: the caller is told, nothing is half stored, and all goes on once there is room again.
@Suite(.serialized, .enabled("where tests may mount a file system") { SmallDisk.isPossible })
struct KioskdFullDiskTests {
    @Test func `a full disk refuses jobs with a reason, and takes them again when there is room`() async throws {
        let disk = try SmallDisk()
        let printer = try await SimulatedPrinter.start()
        let daemon = try await KioskdFixture(
            folder: TemporaryFolder(at: "\(disk.path)/state"), registry: KioskdFixture.registry([printer.uri]))
        let large = try await daemon.submit(String(repeating: "TEA 2.50\n", count: 1_000_000))
        #expect(large.status == 507, "\(large.text)")
        #expect(try large.json(Problem.self).code == .storageFull)
        #expect(try FileManager.default.contentsOfDirectory(atPath: daemon.folder.appending("documents")).isEmpty)

        try disk.fill()
        let small = try await daemon.submit(String(repeating: "TEA 2.50\n", count: 5000))
        #expect(small.status == 507, "\(small.text)")
        let health = try await daemon.curl("/v1/health").json(HealthReport.self)
        #expect(health.status == .critical, "\(health)")

        try disk.makeRoom()
        let job = try await daemon.submit("TEA 2.50", "role=receipt&wait=30").json(Job.self)
        #expect(job.state == .completed)
        #expect(try await printer.paper.count == 1)
        _ = try? await daemon.terminate()
    }
}
