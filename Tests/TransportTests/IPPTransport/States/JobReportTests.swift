import IPPCodec
import PrintModel
import Testing

@testable import IPP

@Suite struct JobReportTests {
    @Test(
        arguments: [(0, JobState.aborted, Evidence.sent), (1, .completed, .printed), (nil, .completed, .printed)]
            as [(Int32?, JobState, Evidence)])
    func `a job that ended without a document was not printed, whatever its printer calls it`(
        documents: Int32?, state: JobState, evidence: Evidence
    ) throws {
        var attributes = [
            IPPAttribute("job-state", .enum(9)),
            IPPAttribute("job-state-reasons", keywords: ["job-completed-successfully"]),
        ]
        if let documents { attributes.append(IPPAttribute("number-of-documents", .integer(documents))) }
        let report = try #require(JobReport(IPPGroup(.job, attributes), job: RemoteJob(identifier: "7")))
        #expect(report.state == state && report.evidence == evidence)
        #expect(report.reasons.contains("submission-interrupted") == (state == .aborted))
    }

    @Test(arguments: ["job-k-octets", "job-impressions-completed", "job-media-sheets-completed"])
    func `a job whose printer has removed its files was printed`(progress: String) throws {
        let attributes = [
            IPPAttribute("job-state", .enum(9)), IPPAttribute("number-of-documents", .integer(0)),
            IPPAttribute(progress, .integer(5)),
        ]
        let report = try #require(JobReport(IPPGroup(.job, attributes), job: RemoteJob(identifier: "59")))
        #expect(report.state == .completed && report.evidence == .printed)
    }
}
