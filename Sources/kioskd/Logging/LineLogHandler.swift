import CLinux
import FoundationEssentials
import Glibc
import Logging
import PrintModel

/// Log lines on standard error, one for each event: with a priority for the journal, or with a time for people.
///
///     2026-11-21T03:40:00.123Z warning printer till-1: unreachable (connection refused)
struct LineLogHandler: LogHandler {
    let label: String
    let form: Form
    let queue: LogQueue
    var logLevel: Logger.Level = .info
    var metadata: Logger.Metadata = [:]

    enum Form: Sendable {
        /// `<N>` before the line, sd-daemon(3); the journal adds the time.
        case journal
        case terminal
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var line = form.beginning(of: event.level)
        line += event.message.description.withoutControlCharacters
        if let error = event.error { line += ": \("\(error)".withoutControlCharacters)" }
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        for (key, value) in all.sorted(by: { $0.key < $1.key }) {
            line += " \(key)=\(value.description.withoutControlCharacters)"
        }
        queue.append(line + "\n")
    }
}

extension LogQueue {
    /// Standard error as a log of lines.
    static func standardError(_ form: LineLogHandler.Form) -> LogQueue {
        LogQueue(STDERR_FILENO) { count in
            "\(form.beginning(of: .warning))\(count) log line\(count == 1 ? " was" : "s were") dropped: nobody read standard error\n"
        }
    }
}

extension LineLogHandler.Form {
    fileprivate func beginning(of level: Logger.Level) -> String {
        self == .journal ? "<\(level.syslogPriority)>" : "\(Timestamp.wallClock) \(level) "
    }

    /// Journal where standard error is the journal's stream, by device and inode, as systemd.exec(5) tells to find out.
    static func detect(environment: (String) -> String?) -> Self {
        var file = clinux_file()
        guard let stream = environment("JOURNAL_STREAM"), clinux_fstat(STDERR_FILENO, &file) == 0 else {
            return .terminal
        }
        return stream == "\(file.device):\(file.inode)" ? .journal : .terminal
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
