import KioskIPPCodec
import KioskPrintModel
import Testing

@testable import KioskIPP

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

    @Test(arguments: [
        "job-canceled-at-device", "job-canceled-by-operator", "aborted-by-system", "processing-to-stop-point",
        "job-hold-until-specified", "document-format-error", "vendor-own-reason",
    ])
    func `every reason of a job is told`(reason: String) {
        let group = IPPGroup(
            .job,
            [
                IPPAttribute("job-state", .enum(8)),
                IPPAttribute("job-state-reasons", keywords: ["none", reason, "job-restartable"]),
            ])
        let report = JobReport(group, job: nil)
        #expect(report?.reasons == [reason, "job-restartable"])
        #expect(report?.evidence == .accepted)
    }

    private static let proofs: [(JobState, [String], Evidence)] = [
        (JobState.completed, [], Evidence.printed), (.completed, ["job-completed-successfully"], .printed),
        (.completed, ["queued-in-device"], .accepted), (.completed, ["job-completed-with-errors"], .processed),
        (.processing, [], .accepted), (.canceled, [], .accepted), (.aborted, [], .accepted),
    ]

    @Test(arguments: proofs)
    func `a state proves what RFC 8011 says, and no more`(state: JobState, reasons: [String], evidence: Evidence) {
        #expect(JobReport.evidence(of: state, reasons: reasons) == evidence)
    }

    private static let endings:
        [(state: Int32, reasons: [String], pages: Int32?, unprintedAbort: JobReport.UnprintedAbort?)] = [
            (8, ["unsupported-document-format"], 0, .format), (8, ["document-format-error"], 0, .format),
            // PAPPL.
            (8, ["aborted-by-system"], 0, .unknown), (8, [], 0, .unknown),
            // A page is out, or nobody counts pages.
            (8, ["document-format-error"], 1, nil), (8, ["unsupported-document-format"], nil, nil),
            (9, ["job-completed-successfully"], 0, nil), (7, ["document-format-error"], 0, nil),
        ]

    @Test(arguments: endings.indices)
    func `an abort before the first page was completed says so, and whether it was over the format`(index: Int) {
        let (state, reasons, pages, unprintedAbort) = Self.endings[index]
        var attributes = [
            IPPAttribute("job-state", .enum(state)), IPPAttribute("job-state-reasons", keywords: reasons),
        ]
        if let pages { attributes.append(IPPAttribute("job-impressions-completed", .integer(pages))) }
        #expect(JobReport(IPPGroup(.job, attributes), job: nil)?.unprintedAbort == unprintedAbort)
    }
}
