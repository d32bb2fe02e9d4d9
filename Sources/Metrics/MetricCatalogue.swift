package import KioskPrometheusText

/// Every metric of the daemon. Names follow Prometheus's conventions: base units, `_total` for counters.
package enum MetricCatalogue {
    package static let all: [MetricFamily] =
        [
            build, jobsAccepted, jobsSettled, jobsUnconfirmed, attempts, retries, failovers, bytes, acceptTime,
            firstByteTime, endTime, syncTime,
        ] + gauges

    /// Computed when they are asked for.
    static let gauges = [
        queueJobs, queueAge, printerAvailable, printerState, printerReason, registryVersion, registryRefused,
        storageFailing, helperFailures, startTime,
    ]

    static let build = MetricFamily(
        .gauge, "kioskd_build_info", "Always 1; its label is the version", labels: ["version"])
    static let startTime = MetricFamily(
        .gauge, "process_start_time_seconds", "When the daemon started, in seconds since 1970")

    // MARK: Jobs

    static let jobsAccepted = MetricFamily(
        .counter, "kioskd_jobs_accepted_total",
        "Jobs that were stored; role is empty for jobs that named a printer", labels: ["role"])
    static let jobsSettled = MetricFamily(
        .counter, "kioskd_jobs_settled_total",
        "Jobs that became final, or are held because they are unconfirmed, with their evidence and first reason",
        labels: ["role", "state", "evidence", "reason"])
    static let jobsUnconfirmed = MetricFamily(
        .counter, "kioskd_jobs_unconfirmed_total", "Jobs of which nobody could know whether they were printed",
        labels: ["role"])
    static let attempts = MetricFamily(
        .counter, "kioskd_delivery_attempts_total", "Times that sending a job to the printer began",
        labels: ["printer"])
    static let retries = MetricFamily(
        .counter, "kioskd_delivery_retries_total",
        "Attempts of a job, or of a copy that is sent by itself, after its first one", labels: ["role"])
    static let failovers = MetricFamily(
        .counter, "kioskd_delivery_failovers_total",
        "Attempts of a job on another printer than the one before", labels: ["role"])
    static let bytes = MetricFamily(
        .counter, "kioskd_delivered_bytes_total", "Bytes of documents that the printer accepted", labels: ["printer"])

    // MARK: Times

    /// From less than a commit to a minute.
    private static let jobBuckets: [Double] = [
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
    ]
    private static let diskBuckets: [Double] = [
        0.000_1, 0.000_25, 0.000_5, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5,
    ]

    static let acceptTime = MetricFamily(
        .histogram, "kioskd_job_accept_duration_seconds",
        "From the end of a job's document to the job on disk", labels: ["role"], buckets: jobBuckets)
    static let firstByteTime = MetricFamily(
        .histogram, "kioskd_job_first_byte_duration_seconds",
        "From the end of a job's document to its first byte on the way to a printer", labels: ["role"],
        buckets: jobBuckets)
    static let endTime = MetricFamily(
        .histogram, "kioskd_job_end_duration_seconds",
        "From the end of a job's document to the job's end on disk, or to where it is held", labels: ["role"],
        buckets: jobBuckets)
    static let syncTime = MetricFamily(
        .histogram, "kioskd_storage_sync_duration_seconds", "The time that the disk takes for a commit",
        buckets: diskBuckets)

    // MARK: Now

    static let queueJobs = MetricFamily(
        .gauge, "kioskd_queue_jobs", "Jobs that are not final; role is empty for jobs that named a printer",
        labels: ["role", "state"])
    static let queueAge = MetricFamily(
        .gauge, "kioskd_queue_oldest_job_age_seconds",
        "The age of the oldest job that waits or is printed; 0 where there is none", labels: ["role"])
    static let printerAvailable = MetricFamily(
        .gauge, "kioskd_printer_available", "Whether the printer can print now", labels: ["printer"])
    static let printerState = MetricFamily(
        .gauge, "kioskd_printer_state", "1 for the printer's state", labels: ["printer", "state"])
    static let printerReason = MetricFamily(
        .gauge, "kioskd_printer_state_reason", "1 for each of the printer's state reasons",
        labels: ["printer", "reason", "severity"])
    static let registryVersion = MetricFamily(
        .gauge, "kioskd_registry_version", "The number of the registry's newest version")
    static let registryRefused = MetricFamily(
        .gauge, "kioskd_registry_refused",
        "Whether the registry's file has an error, and an earlier version is in force")
    static let storageFailing = MetricFamily(
        .gauge, "kioskd_storage_failing", "Whether the queue cannot be stored or read")
    static let helperFailures = MetricFamily(
        .counter, "kioskd_helper_failures_total",
        "Times that a helper program did not start, hung, or ended without being asked to; it is started again",
        labels: ["helper"])
}
