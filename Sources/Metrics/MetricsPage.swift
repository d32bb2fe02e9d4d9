package import KioskEngine
import KioskPrintModel
import KioskPrometheusText

/// Composes what Prometheus scrapes: what was counted, and the state of this moment.
package struct MetricsPage: Sendable {
    private let factory: PrometheusFactory
    private let engineMetrics: EngineMetrics
    private let engine: PrintEngine
    private let surroundings: @Sendable () async -> Surroundings

    /// What the engine does not know.
    package struct Surroundings: Sendable {
        package var version: String
        /// When the program started, in seconds since 1970.
        package var startTime: Double
        package var registryVersion: Int?
        /// How often each helper program failed, by its name.
        package var helperFailures: [String: Int]

        package init(version: String, startTime: Double, registryVersion: Int?, helperFailures: [String: Int]) {
            self.version = version
            self.startTime = startTime
            self.registryVersion = registryVersion
            self.helperFailures = helperFailures
        }
    }

    /// `factory` is the one that `engineMetrics` counts with.
    package init(
        _ factory: PrometheusFactory, _ engineMetrics: EngineMetrics, engine: PrintEngine,
        surroundings: @escaping @Sendable () async -> Surroundings
    ) {
        self.factory = factory
        self.engineMetrics = engineMetrics
        self.engine = engine
        self.surroundings = surroundings
    }

    /// The page as it is now. Asks no printer.
    package func text() async -> String {
        let standing = await engine.standing()
        let surroundings = await surroundings()
        engineMetrics.prepare(roles: standing.roles, printers: standing.printers.map(\.printer.id))
        let gauges = gauges(of: standing, surroundings)
        var page = TextExposition()
        for family in MetricCatalogue.all {
            page.add(family, gauges[family.name] ?? factory.samples(of: family))
        }
        return page.text
    }

    /// The samples of all that is computed when it is asked for, by the family's name.
    private func gauges(of standing: EngineStanding, _ surroundings: Surroundings) -> [String: [MetricSample]] {
        var samples: [String: [MetricSample]] = [:]
        func add(_ family: MetricFamily, _ labels: [String] = [], _ value: Double) {
            samples[family.name, default: []].append(MetricSample(family, labels, value))
        }
        add(MetricCatalogue.build, [surroundings.version], 1)
        add(MetricCatalogue.startTime, [], surroundings.startTime)
        if let version = surroundings.registryVersion { add(MetricCatalogue.registryVersion, [], Double(version)) }
        add(MetricCatalogue.registryRefused, [], standing.isRegistryRefused ? 1 : 0)
        add(MetricCatalogue.storageFailing, [], standing.isStorageFailing ? 1 : 0)
        for (helper, count) in surroundings.helperFailures.sorted(by: { $0.key < $1.key }) {
            add(MetricCatalogue.helperFailures, [helper], Double(count))
        }
        // A role that has no job shows zeros, so that it does not vanish from graphs.
        let saved: [RoleName?] = standing.roles.map { $0 }
        let others = Set(standing.jobs.keys).subtracting(saved)
        for role in saved + others.sorted(by: { ($0?.rawValue ?? "") < ($1?.rawValue ?? "") }) {
            let (name, counts) = (role?.rawValue ?? "", standing.jobs[role] ?? [:])
            for state in JobState.allCases where !state.isFinal {
                add(MetricCatalogue.queueJobs, [name, state.rawValue], Double(counts[state] ?? 0))
            }
            add(MetricCatalogue.queueAge, [name], (standing.oldest[role] ?? .zero) / .seconds(1))
        }
        for status in standing.printers {
            let (printer, availability) = (status.printer.id.rawValue, status.availability)
            add(MetricCatalogue.printerAvailable, [printer], availability.isAvailable ? 1 : 0)
            add(MetricCatalogue.printerState, [printer, availability.state.rawValue], 1)
            var seen: Set<[String]> = []
            for reason in availability.reasons {
                let labels = [engineMetrics.label(ofStateReason: reason.keyword), reason.severity.rawValue]
                if seen.insert(labels).inserted { add(MetricCatalogue.printerReason, [printer] + labels, 1) }
            }
        }
        return samples
    }
}
