import Foundation
import KioskAPI
import KioskDaemonSupport
import KioskPrintModel
import KioskSimulatedPrinter
import KioskTestSupport
import Testing

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
        let job = try await daemon.submit("TEA 2.50", "role=receipt&wait=300").json(Job.self)
        #expect(job.state == .completed)
        #expect(try await printer.paper.count == 1)
        _ = try? await daemon.terminate()
    }
}
