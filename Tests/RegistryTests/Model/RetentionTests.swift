import KioskPrintModel
import Testing

@Suite struct RetentionTests {
    @Test func `keeps jobs for 30 days and documents for a day, and no document longer than its job`() {
        let standard = Retention()
        #expect(standard.effectiveJobs == 30 * 86_400)
        #expect(standard.effectiveDocuments == 86_400)
        #expect(standard.effectiveSize == 200_000_000)
        #expect(Retention(jobs: 600).effectiveDocuments == 600)
        #expect(Retention(jobs: 600, documents: 0).effectiveDocuments == 0)
    }

    @Test(
        arguments: [
            ("0", 0, "0"), ("512", 512, "512"), ("500kB", 500_000, "500kB"), ("500KB", 500_000, "500kB"),
            ("1000MB", 1_000_000_000, "1GB"),
            ("2TB", 2_000_000_000_000, "2TB"),
        ] as [(String, Int64, String)])
    func `reads and writes sizes`(text: String, bytes: Int64, shortest: String) {
        #expect(ByteCounts.bytes(of: text) == bytes)
        #expect(ByteCounts.text(of: bytes) == shortest)
    }

    @Test(arguments: ["", "MB", "-1", "+1", "1.5MB", "1 MB", "1MiB", "99999999999999999999", "9999999999TB", "½MB"])
    func `refuses other sizes`(text: String) {
        #expect(ByteCounts.bytes(of: text) == nil)
    }
}
