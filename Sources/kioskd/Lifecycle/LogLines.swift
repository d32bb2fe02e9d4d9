import ArgumentParser
import CKioskLinux
import FoundationEssentials
import Glibc
import KioskPrintModel
import Logging

/// How the log is written, as `--log-format` says.
enum LogFormat: String, CaseIterable, ExpressibleByArgument {
    /// Lines for people; in the journal, entries with fields.
    case text
    /// A JSON object a line, for programs that collect logs.
    case json
}

/// Log lines on standard error, one for each event: in the form that its reader takes.
///
///     2026-11-21T03:40:00.123Z warning printer till-1: unreachable (connection refused)
struct LineLogHandler: LogHandler {
    let label: String
    let form: Form
    let queue: LogQueue
    var logLevel: Logger.Level = .info
    var metadata: Logger.Metadata = [:]

    enum Form: Hashable, Sendable {
        /// `<N>` before the line, sd-daemon(3); the journal adds the time.
        case prefixed
        /// An entry of the journal's own protocol, with a field for each thing that the message tells of.
        case journal
        case terminal
        case json
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var text = event.message.description
        if let error = event.error { text += ": \(error)" }
        let fields = metadata.merging(event.metadata ?? [:]) { $1 }
            .map { (key: $0.key, value: $0.value.description) }.sorted { $0.key < $1.key }
        queue.append(form.entry(event.level, text, fields))
    }
}

extension LogQueue {
    /// Standard error as a log, or the journal behind it.
    static func standardError(_ form: LineLogHandler.Form, journal: JournalSocket? = nil) -> LogQueue {
        LogQueue(STDERR_FILENO, journal: journal) { count in
            form.entry(
                .warning, "\(count) log line\(count == 1 ? " was" : "s were") dropped: nobody read standard error", [])
        }
    }

    /// The log that the command line and the environment ask for, and the form of its lines.
    static func forProcess(
        _ format: LogFormat, environment: (String) -> String?
    ) -> (queue: LogQueue, form: LineLogHandler.Form) {
        guard format == .text else { return (standardError(.json), .json) }
        guard LineLogHandler.Form.isJournal(environment: environment) else {
            return (standardError(.terminal), .terminal)
        }
        guard let journal = JournalSocket() else { return (standardError(.prefixed), .prefixed) }
        return (standardError(.journal, journal: journal), .journal)
    }
}

extension LineLogHandler.Form {
    /// Whether standard error is the journal's stream, by device and inode, as systemd.exec(5) tells to find out.
    static func isJournal(environment: (String) -> String?) -> Bool {
        var file = clinux_file()
        guard let stream = environment("JOURNAL_STREAM"), clinux_fstat(STDERR_FILENO, &file) == 0 else {
            return false
        }
        return stream == "\(file.device):\(file.inode)"
    }

    /// One line with its newline, or an entry for the journal.
    func entry(_ level: Logger.Level, _ text: String, _ fields: [(key: String, value: String)]) -> String {
        let shown = fields.map { " \($0.key)=\($0.value.withoutControlCharacters)" }.joined()
        let line = text.withoutControlCharacters + shown
        return switch self {
        case .prefixed: "<\(level.syslogPriority)>\(line)\n"
        case .terminal: "\(Timestamp.wallClock) \(level) \(line)\n"
        case .journal: JournalEntry.text(line, priority: level.syslogPriority, fields)
        case .json: Self.json(level, text, fields)
        }
    }

    /// The time, the level and the message first; what a field is named after one of them does not replace it.
    private static func json(
        _ level: Logger.Level, _ text: String, _ fields: [(key: String, value: String)]
    ) -> String {
        let own = [("time", "\(Timestamp.wallClock)"), ("level", "\(level)"), ("message", text)]
        let others = fields.filter { field in !own.contains { $0.0 == field.key } }.map { ($0.key, $0.value) }
        return "{" + (own + others).map { "\(quoted($0.0)):\(quoted($0.1))" }.joined(separator: ",") + "}\n"
    }

    /// A JSON string (RFC 8259 §7).
    private static func quoted(_ text: String) -> String {
        var json = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": json += "\\\""
            case "\\": json += "\\\\"
            case "\n": json += "\\n"
            case "\t": json += "\\t"
            case "\r": json += "\\r"
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                json += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: json.unicodeScalars.append(scalar)
            }
        }
        return json + "\""
    }
}

extension Timestamp {
    fileprivate static var wallClock: Timestamp {
        Timestamp(millisecondsSince1970: Int64(Date().timeIntervalSince1970 * 1000))
    }
}

extension Logger.Level {
    /// syslog(3)
    fileprivate var syslogPriority: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}
