import KioskDaemonSupport
import KioskPrintModel
import KioskTestSupport
import Testing

/// Receipts by role to a line printer daemon.
@Suite(.enabled(if: LineSpooler.obstacle == nil, "line printer daemons need root, and `Scripts/bootstrap test`"))
struct KioskdLPDTests {
    @Test func `a receipt in markup is laid out for the printer's profile, and kioskctl says what is proven`()
        async throws
    {
        let spooler = try await LineSpooler.listening()
        let daemon = try await KioskdFixture(
            registry: """
                version: 1
                printers:
                  - { id: till-1, url: "lpd://127.0.0.1:\(try #require(spooler.port))/receipt?format=l", profile: epson-tm }
                roles:
                  receipt:
                    printers: [till-1]

                """, arguments: ["--profiles", ShippedProfiles.folder])
        let job = try await daemon.curl(
            "/v1/jobs?role=receipt&wait=300",
            ["-H", "Content-Type: text/receiptline", "--data-binary", "^Corner Café\n-\nTea | 2.50\nTOTAL | 2.50\n"],
            deadline: .seconds(600)
        ).json(Job.self)
        #expect(job.state == .completed && job.evidence == .accepted, "\(job.message ?? "") \(daemon.log)")
        try await eventually("the paper") { try spooler.keptFiles().count == 1 }
        #expect(String(decoding: try spooler.keptFiles()[0], as: UTF8.self).contains("TOTAL"))
        let shown = try await daemon.kioskctl("job", "\(job.id)")
        #expect(shown.standardOutput.contains("its spooler accepted it, and reports no more"))
        try await daemon.terminate()
    }
}
