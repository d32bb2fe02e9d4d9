package import CoreMetrics
package import KioskPrometheusText
import Synchronization

/// A backend of swift-metrics that keeps its values in memory for Prometheus to scrape.
///
/// A series is made once, when a metric is first created with its labels. From then on a measurement is a few atomic
/// additions. Metrics that no family describes are not shown.
package final class PrometheusFactory: MetricsFactory {
    private let families: [String: MetricFamily]
    private let series = Mutex<[String: FamilySeries]>([:])

    /// The series of one family, in the order in which they were made.
    private struct FamilySeries {
        var order: [(labels: [String], value: any SeriesValue)] = []
        var positions: [[String]: Int] = [:]
    }

    /// Series of one family; further ones share one, whose labels are all `other`. Names come from the registry, but
    /// reasons also from printers.
    private static let maximumSeries = 1000

    package init(_ families: [MetricFamily] = MetricCatalogue.all) {
        self.families = Dictionary(uniqueKeysWithValues: families.map { ($0.name, $0) })
    }

    /// The samples of a family as a scrape returns them.
    func samples(of family: MetricFamily) -> [MetricSample] {
        let order = series.withLock { $0[family.name]?.order ?? [] }
        return order.flatMap { $0.value.samples(of: family, labels: $0.labels) }
    }

    private func value<Value: SeriesValue>(
        _ name: String, _ dimensions: [(String, String)], _ make: (MetricFamily) -> Value
    ) -> Value {
        guard let family = families[name] else {
            return make(MetricFamily(.gauge, name, ""))
        }
        var labels = family.labels.map { label in dimensions.first { $0.0 == label }?.1 ?? "" }
        return series.withLock { series in
            var own = series[name] ?? FamilySeries()
            if own.positions[labels] == nil, own.order.count >= Self.maximumSeries {
                labels = family.labels.map { _ in "other" }
            }
            if let position = own.positions[labels], let value = own.order[position].value as? Value { return value }
            let value = make(family)
            own.positions[labels] = own.order.count
            own.order.append((labels, value))
            series[name] = own
            return value
        }
    }

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        value(label, dimensions) { _ in CounterValue() }
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        value(label, dimensions) { _ in GaugeValue() }
    }

    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        if aggregate { return value(label, dimensions) { HistogramValue(buckets: $0.buckets) } }
        return value(label, dimensions) { _ in GaugeValue() }
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        value(label, dimensions) { HistogramValue(buckets: $0.buckets) }
    }

    // What was counted stays: a counter that vanishes looks like a restart to Prometheus.
    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}
}

/// The value of one series.
private protocol SeriesValue: AnyObject, Sendable {
    func samples(of family: MetricFamily, labels: [String]) -> [MetricSample]
}

private final class CounterValue: CounterHandler, SeriesValue {
    private let count = Atomic<Int64>(0)

    func increment(by amount: Int64) { count.wrappingAdd(amount, ordering: .relaxed) }
    func reset() { count.store(0, ordering: .relaxed) }

    func samples(of family: MetricFamily, labels: [String]) -> [MetricSample] {
        [MetricSample(family, labels, Double(count.load(ordering: .relaxed)))]
    }
}

private final class GaugeValue: MeterHandler, RecorderHandler, SeriesValue {
    private let bits = Atomic<UInt64>(0)

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }
    func record(_ value: Int64) { set(Double(value)) }
    func record(_ value: Double) { set(value) }
    func decrement(by amount: Double) { increment(by: -amount) }

    func increment(by amount: Double) {
        var old = bits.load(ordering: .relaxed)
        while true {
            let new = (Double(bitPattern: old) + amount).bitPattern
            let (isDone, now) = bits.compareExchange(expected: old, desired: new, ordering: .relaxed)
            if isDone { return }
            old = now
        }
    }

    func samples(of family: MetricFamily, labels: [String]) -> [MetricSample] {
        [MetricSample(family, labels, Double(bitPattern: bits.load(ordering: .relaxed)))]
    }
}

/// Durations, counted by the bucket that they fall into. It counts nanoseconds, and shows seconds.
private final class HistogramValue: TimerHandler, RecorderHandler, SeriesValue {
    private let bounds: [Int64]
    /// One more than there are bounds: the last is what exceeds them all.
    private let counts: [Count]
    private let sum = Atomic<Int64>(0)

    private final class Count: Sendable {
        let value = Atomic<Int64>(0)
    }

    init(buckets: [Double]) {
        bounds = buckets.map { Int64(($0 * 1_000_000_000).rounded()) }
        counts = (0...buckets.count).map { _ in Count() }
    }

    func recordNanoseconds(_ duration: Int64) {
        var index = 0
        while index < bounds.count, duration > bounds[index] { index += 1 }
        counts[index].value.wrappingAdd(1, ordering: .relaxed)
        sum.wrappingAdd(duration, ordering: .relaxed)
    }

    func record(_ value: Int64) { record(Double(value)) }
    func record(_ value: Double) { recordNanoseconds(Int64((value * 1_000_000_000).rounded())) }

    func samples(of family: MetricFamily, labels: [String]) -> [MetricSample] {
        var total: Int64 = 0
        var samples: [MetricSample] = []
        for (index, count) in counts.enumerated() {
            total &+= count.value.load(ordering: .relaxed)
            let bound = index < family.buckets.count ? MetricSample.text(of: family.buckets[index]) : "+Inf"
            samples.append(MetricSample(family, labels, Double(total), suffix: "_bucket", bound: bound))
        }
        let seconds = Double(sum.load(ordering: .relaxed)) / 1_000_000_000
        samples.append(MetricSample(family, labels, seconds, suffix: "_sum"))
        samples.append(MetricSample(family, labels, Double(total), suffix: "_count"))
        return samples
    }
}
