import Logging
import Synchronization

/// What was logged, message and metadata: it is there as soon as the call that logged has returned.
final class LogRecord: Sendable {
    private let lines = Mutex<[String]>([])

    var text: String { lines.withLock { $0.joined(separator: "\n") } }

    var logger: Logger {
        Logger(label: "test") { _ in Handler(record: self) }
    }

    private struct Handler: LogHandler {
        let record: LogRecord
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            record.lines.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") }
        }
    }
}
