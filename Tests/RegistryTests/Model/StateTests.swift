import KioskPrintModel
import Testing

@Suite struct StateReasonTests {
    @Test(arguments: [
        ("media-empty-error", "media-empty", StateReason.Severity.error), ("media-low-warning", "media-low", .warning),
        ("cover-open-report", "cover-open", .report), ("cover-open", "cover-open", .error),
        ("error", "error", .error), ("-error", "-error", .error), ("other-warning-report", "other-warning", .report),
    ])
    func `reads the severity from the suffix`(text: String, keyword: String, severity: StateReason.Severity) {
        #expect(StateReason(ippKeyword: text) == StateReason(keyword: keyword, severity: severity))
    }

    @Test(arguments: ["none", ""])
    func `none is no reason`(text: String) {
        #expect(StateReason(ippKeyword: text) == nil)
    }

    @Test func `writes its suffix, and orders by weight`() {
        #expect(StateReason(keyword: "media-low", severity: .warning).ippKeyword == "media-low-warning")
        #expect(StateReason.Severity.report < .warning)
        #expect(StateReason.Severity.warning < .error)
    }
}

@Suite struct AvailabilityTests {
    @Test(arguments: [
        (Availability.State.ready, true), (.busy, true), (.attention, true), (.stopped, false), (.unreachable, false),
        (.unknown, false),
    ])
    func `says whether a job would be worked on`(state: Availability.State, isAvailable: Bool) {
        #expect(Availability(state).isAvailable == isAvailable)
    }

    @Test func `has its words in JSON`() throws {
        let value = Availability(.stopped, reasons: [StateReason(keyword: "media-empty", severity: .error)])
        #expect(
            try json(value)
                == "{\"reasons\":[{\"keyword\":\"media-empty\",\"severity\":\"error\"}],\"state\":\"stopped\"}")
    }
}

@Suite struct EvidenceTests {
    @Test func `grows stronger in the order of its cases`() {
        #expect(Evidence.allCases == Evidence.allCases.sorted())
        #expect(Evidence.sent < .printed)
        #expect(Set(Evidence.allCases).count == 4)
    }
}

@Suite struct JobStateTests {
    @Test func `only three states are final`() {
        #expect(JobState.allCases.filter(\.isFinal) == [.canceled, .aborted, .completed])
    }

    @Test func `speaks RFC 8011's words`() {
        #expect(
            JobState.allCases.map(\.rawValue) == [
                "pending", "pending-held", "processing", "processing-stopped", "canceled", "aborted", "completed",
            ])
    }
}

@Suite struct HealthReportTests {
    private func report(_ statuses: HealthReport.Status...) -> HealthReport {
        HealthReport(
            checks: statuses.map { .init(code: "c", status: $0, message: "m") }, printersAvailable: 0, printersSaved: 0,
            jobsWaiting: 0, jobsUnconfirmed: 0, oldestWaitingSeconds: nil)
    }

    @Test func `its status is that of the worst check`() {
        #expect(report().status == .ok)
        #expect(report(.ok, .unknown).status == .unknown)
        #expect(report(.unknown, .warning).status == .warning)
        #expect(report(.warning, .critical, .unknown).status == .critical)
    }

    @Test func `has the monitoring plugins' exit codes`() {
        #expect(HealthReport.Status.allCases.map(\.exitCode) == [0, 1, 2, 3])
    }
}
