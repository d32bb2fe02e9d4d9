import CoreMetrics
import KioskPrintModel
import KioskPrometheusText
import Testing

@testable import KioskEngine
@testable import KioskMetrics

/// What swift-metrics counts, as Prometheus reads it.
@Suite struct PrometheusFactoryTests {
    private static let counts = MetricFamily(.counter, "test_jobs_total", "Jobs", labels: ["role", "reason"])
    private static let times = MetricFamily(
        .histogram, "test_duration_seconds", "Times", labels: ["role"], buckets: [0.001, 0.5, 1])
    private static let level = MetricFamily(.gauge, "test_level", "A \\ level\nof two lines")

    private func text(_ factory: PrometheusFactory, _ family: MetricFamily) -> String {
        var page = TextExposition()
        page.add(family, factory.samples(of: family))
        return page.text
    }

    @Test func `counters show their labels, escaped, in the family's order`() {
        let factory = PrometheusFactory([Self.counts])
        let counter = Counter(
            label: "test_jobs_total", dimensions: [("reason", "a \"b\" \\ c\nd"), ("role", "receipt")], factory: factory
        )
        counter.increment(by: 2)
        // The same series, however its metric is made.
        Counter(
            label: "test_jobs_total", dimensions: [("role", "receipt"), ("reason", "a \"b\" \\ c\nd")], factory: factory
        ).increment()
        Counter(label: "test_jobs_total", dimensions: [("role", "label")], factory: factory).increment()
        #expect(
            text(factory, Self.counts) == #"""
                # HELP test_jobs_total Jobs
                # TYPE test_jobs_total counter
                test_jobs_total{role="receipt",reason="a \"b\" \\ c\nd"} 3
                test_jobs_total{role="label",reason=""} 1

                """#)
    }

    @Test func `what an accent follows is escaped all the same`() {
        let factory = PrometheusFactory([Self.counts])
        Counter(
            label: "test_jobs_total", dimensions: [("role", "a\"\u{301}b\\\u{301}"), ("reason", "c\r\nd")],
            factory: factory
        ).increment()
        let line = text(factory, Self.counts).split(separator: "\n", omittingEmptySubsequences: false)[2]
        #expect(
            Array(line.unicodeScalars)
                == Array(
                    "test_jobs_total{role=\"a\\\"\u{301}b\\\\\u{301}\",reason=\"c\r\\nd\"} 1".unicodeScalars))
    }

    @Test func `a histogram's buckets hold all that are not above them`() {
        let factory = PrometheusFactory([Self.times])
        let timer = Timer(label: "test_duration_seconds", dimensions: [("role", "receipt")], factory: factory)
        for nanoseconds in [0, 1_000_000, 1_000_001, 500_000_000, 2_000_000_000] {
            timer.recordNanoseconds(nanoseconds)
        }
        #expect(
            text(factory, Self.times) == """
                # HELP test_duration_seconds Times
                # TYPE test_duration_seconds histogram
                test_duration_seconds_bucket{role="receipt",le="0.001"} 2
                test_duration_seconds_bucket{role="receipt",le="0.5"} 4
                test_duration_seconds_bucket{role="receipt",le="1"} 4
                test_duration_seconds_bucket{role="receipt",le="+Inf"} 5
                test_duration_seconds_sum{role="receipt"} 2.502000001
                test_duration_seconds_count{role="receipt"} 5

                """)
    }

    @Test func `a gauge is what was set last, and help stays on its line`() {
        let factory = PrometheusFactory([Self.level])
        let meter = Meter(label: "test_level", factory: factory)
        meter.set(2.5)
        meter.increment(by: 1.0)
        meter.decrement(by: 4.0)
        #expect(
            text(factory, Self.level) == """
                # HELP test_level A \\\\ level\\nof two lines
                # TYPE test_level gauge
                test_level -0.5

                """)
        #expect(text(PrometheusFactory([Self.level]), Self.level).isEmpty)
    }

    @Test func `what printers name does not grow without bounds`() {
        let factory = PrometheusFactory([Self.counts])
        for number in 0..<1200 {
            Counter(
                label: "test_jobs_total", dimensions: [("role", "receipt"), ("reason", "r\(number)")], factory: factory
            ).increment()
        }
        let samples = factory.samples(of: Self.counts)
        #expect(samples.count == 1001)
        #expect(samples.last?.labels.map(\.value) == ["other", "other"])
        #expect(samples.last?.value == 200)
        #expect(samples.map(\.value).reduce(0, +) == 1200)
    }

    @Test func `what many threads count is all there`() async {
        let factory = PrometheusFactory([Self.counts, Self.times])
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let counter = Counter(label: "test_jobs_total", factory: factory)
                    let timer = Timer(label: "test_duration_seconds", factory: factory)
                    for _ in 0..<1000 {
                        counter.increment()
                        timer.recordNanoseconds(1_000_000)
                    }
                }
            }
        }
        #expect(factory.samples(of: Self.counts).map(\.value) == [8000])
        #expect(factory.samples(of: Self.times).last?.value == 8000)
    }

    @Test func `names follow Prometheus's conventions, and none stands twice`() {
        #expect(Set(MetricCatalogue.all.map(\.name)).count == MetricCatalogue.all.count)
        for family in MetricCatalogue.all {
            #expect((family.kind == .counter) == family.name.hasSuffix("_total"), "\(family.name)")
            #expect((family.kind == .histogram) == !family.buckets.isEmpty, "\(family.name)")
            #expect(family.buckets == family.buckets.sorted(), "\(family.name)")
        }
    }
}

/// What the engine tells, in metrics.
@Suite struct EngineMetricsTests {
    private static let receipt = RoleName(rawValue: "receipt")!

    private func job(_ change: (inout Job) -> Void = { _ in }) -> Job {
        let now = Timestamp(millisecondsSince1970: 1_800_000_000_000)
        var job = Job(
            id: 1, name: "TEA", role: Self.receipt, printer: PrinterID(rawValue: "till-1")!, user: nil,
            format: .plainText,
            documentLength: 3, ticket: Ticket(), createdAt: now, expiresAt: now)
        change(&job)
        return job
    }

    private func value(_ factory: PrometheusFactory, _ family: MetricFamily, _ labels: String...) -> Double? {
        factory.samples(of: family).last { $0.labels.map(\.value) == labels }?.value
    }

    @Test func `a second attempt is a retry, and on another printer a failover`() {
        let factory = PrometheusFactory()
        let metrics = EngineMetrics(factory: factory)
        let (first, second) = (PrinterID(rawValue: "till-1")!, PrinterID(rawValue: "till-2")!)
        metrics.jobAccepted(job(), after: .milliseconds(2))
        metrics.attemptBegan(job { $0.attempts = 1 }, after: nil)
        metrics.attemptBegan(job { $0.attempts = 2 }, after: first)
        metrics.attemptBegan(job { ($0.attempts, $0.printer) = (3, second) }, after: first)
        // One copy more.
        metrics.attemptBegan(job { ($0.attempts, $0.printer) = (4, second) }, after: nil)
        metrics.attemptEnded(job { $0.printer = second }, bytes: 3)
        #expect(value(factory, MetricCatalogue.jobsAccepted, "receipt") == 1)
        #expect(value(factory, MetricCatalogue.attempts, "till-1") == 2)
        #expect(value(factory, MetricCatalogue.attempts, "till-2") == 2)
        #expect(value(factory, MetricCatalogue.retries, "receipt") == 2)
        #expect(value(factory, MetricCatalogue.failovers, "receipt") == 1)
        #expect(value(factory, MetricCatalogue.bytes, "till-2") == 3)
    }

    @Test func `ends are told apart by role, state, evidence and reason`() {
        let factory = PrometheusFactory()
        let metrics = EngineMetrics(factory: factory)
        let printed = job {
            ($0.state, $0.evidence, $0.stateReasons) = (.completed, .printed, ["job-completed-successfully"])
        }
        metrics.jobSettled(printed, after: .milliseconds(20))
        metrics.jobSettled(printed, after: nil)
        metrics.jobSettled(
            job { ($0.state, $0.role, $0.stateReasons) = (.canceled, nil, ["job-expired", "x"]) }, after: .seconds(1))
        #expect(
            value(
                factory, MetricCatalogue.jobsSettled, "receipt", "completed", "printed", "job-completed-successfully")
                == 2)
        #expect(value(factory, MetricCatalogue.jobsSettled, "", "canceled", "", "job-expired") == 1)
        #expect(value(factory, MetricCatalogue.endTime, "receipt") == 1)
    }

    @Test func `state reasons that printers invent are told as other from some number and length on`() {
        let metrics = EngineMetrics(factory: PrometheusFactory())
        #expect(metrics.label(ofStateReason: String(repeating: "x", count: 101)) == "other")
        for number in 0..<200 { #expect(metrics.label(ofStateReason: "reason-\(number)") == "reason-\(number)") }
        #expect(metrics.label(ofStateReason: "media-low") == "other")
        #expect(metrics.label(ofStateReason: "reason-7") == "reason-7")
    }

    @Test func `a job's statuses are told as they change`() {
        final class Observer: EngineObserver {
            nonisolated(unsafe) var told: [String] = []  // One thread uses it.
            func jobAccepted(_ job: Job, after duration: Duration) { told.append("accepted") }
            func attemptBegan(_ job: Job, after earlier: PrinterID?) {
                told.append("began \(job.attempts) after \(earlier?.rawValue ?? "none")")
            }
            func firstByteSent(to role: RoleName?, after duration: Duration) { told.append("first byte") }
            func attemptEnded(_ job: Job, bytes: Int64) { told.append("\(bytes) bytes") }
            func jobUnconfirmed(_ job: Job) { told.append("unconfirmed") }
            func jobSettled(_ job: Job, after duration: Duration?) { told.append("settled") }
            func committed(in duration: Duration) { told.append("committed") }
        }
        let observer = Observer()
        let measurements = JobMeasurements(observer: observer)
        var before = JobStatus(job: job(), isPinned: false)
        func change(_ change: (inout Job) -> Void) {
            var after = before
            change(&after.job)
            measurements.changed(from: before, to: after)
            before = after
        }
        change { $0.attempts = 1 }
        change { $0.bytesSent = 2 }
        change { $0.state = .pending }
        change { ($0.attempts, $0.bytesSent) = (2, 0) }
        change { ($0.bytesSent, $0.isUnconfirmed) = (3, true) }
        change { $0.message = "still" }
        #expect(observer.told == ["2 bytes", "3 bytes", "unconfirmed"])
    }
}
