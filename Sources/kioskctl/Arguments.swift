import ArgumentParser
import KioskAPIMessages
import KioskBlockingClient
import KioskPrintModel

/// Reads the types of `KioskPrintModel` from the command line. Errors say what is wrong and what to write.
enum Arguments {
    private static let nameRule = "write words of lower-case letters and digits joined by hyphens"

    @Sendable static func printer(_ text: String) throws -> PrinterID {
        guard let id = PrinterID(rawValue: text) else { throw ValidationError("it is not a printer id; \(nameRule)") }
        return id
    }

    @Sendable static func role(_ text: String) throws -> RoleName {
        guard let name = RoleName(rawValue: text) else { throw ValidationError("it is not a role name; \(nameRule)") }
        return name
    }

    @Sendable static func language(_ text: String) throws -> PrintingSettings.Language {
        guard let language = PrintingSettings.Language(rawValue: text) else {
            let known = PrintingSettings.Language.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("it is not a known printer language; write one of \(known)")
        }
        return language
    }

    @Sendable static func format(_ text: String) throws -> DocumentFormat {
        if let receipt = receiptFormats[text] { return receipt }
        guard let format = DocumentFormat(text) else {
            throw ValidationError(
                "it is not a media type; write one such as text/plain or application/pdf, or receiptline or receipt-json"
            )
        }
        return format
    }

    @Sendable static func url(_ text: String) throws -> PrinterURL {
        do {
            return try PrinterURL(text)
        } catch {
            throw ValidationError("\(error)")
        }
    }

    /// Checks the URL of a daemon, without its fingerprint and token.
    @Sendable static func host(_ text: String) throws -> String {
        do {
            _ = try RemoteHost(text)
            return text
        } catch {
            throw ValidationError("\(error)")
        }
    }

    @Sendable static func trust(_ text: String) throws -> Trust {
        do {
            return try Trust(text)
        } catch {
            throw ValidationError("\(error)")
        }
    }

    @Sendable static func fingerprint(_ text: String) throws -> Fingerprint {
        guard let fingerprint = Fingerprint(text) else {
            throw ValidationError(
                "it is not a SHA-256 fingerprint; write sha256: and 64 hexadecimal digits, with or without colons")
        }
        return fingerprint
    }

    @Sendable static func jobTypes(_ text: String) throws -> JobTypes {
        try text.split(separator: ",", omittingEmptySubsequences: false).reduce(into: JobTypes()) { types, word in
            guard let type = JobTypes(keyword: String(word)) else {
                throw ValidationError(
                    "\"\(word)\" is not a job type; write some of \(jobTypeKeywords.joined(separator: ","))")
            }
            types.formUnion(type)
        }
    }

    /// Reads exactly one job type: a role's printers do one.
    @Sendable static func jobType(_ text: String) throws -> JobTypes {
        guard let type = JobTypes(keyword: text) else {
            throw ValidationError(
                "\"\(text)\" is not a job type; write one of \(jobTypeKeywords.joined(separator: ","))")
        }
        return type
    }

    @Sendable static func states(_ text: String) throws -> [JobState] {
        try text.split(separator: ",", omittingEmptySubsequences: false).map { word in
            guard let state = JobState(rawValue: String(word)) else {
                throw ValidationError(
                    "\"\(word)\" is not a job state; write some of \(stateKeywords.joined(separator: ","))")
            }
            return state
        }
    }

    @Sendable static func moment(_ text: String) throws -> Timestamp {
        guard let moment = TimeNotation.parse(text, at: Timestamp.now) else {
            throw ValidationError("write \(TimeNotation.forms)")
        }
        return moment
    }

    /// Reads how long a trace runs, in seconds: `10m`.
    @Sendable static func traceTime(_ text: String) throws -> Int {
        guard let seconds = Duration.seconds(of: text), (1...APILimits.maximumTrace).contains(seconds) else {
            throw ValidationError("write a time from 1s to 24h, such as 10m")
        }
        return seconds
    }

    /// Reads how long a token lasts, in seconds: `90d`.
    @Sendable static func lifetime(_ text: String) throws -> Int {
        guard let seconds = Duration.seconds(of: text), seconds >= 1 else {
            throw ValidationError("write a time such as 12h or 90d, or leave it out for a token that does not end")
        }
        return seconds
    }

    /// Reads how long printers are looked for on the network, in seconds: `10s`.
    @Sendable static func discoveryTime(_ text: String) throws -> Int {
        guard let seconds = Duration.seconds(of: text), (1...APILimits.maximumDiscovery).contains(seconds) else {
            throw ValidationError("write a time from 1s to \(APILimits.maximumDiscovery)s, such as 10s")
        }
        return seconds
    }

    /// Reads `jobs=30d,documents=1d,size=200MB`; each part may be left out.
    @Sendable static func retention(_ text: String) throws -> Retention {
        var keep = Retention()
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let (key, value) = (pair[0], pair.count == 2 ? pair[1] : "")
            let (seconds, bytes) = (Duration.seconds(of: value), ByteCounts.bytes(of: value))
            switch key {
            case "jobs" where seconds != nil: keep.jobs = seconds
            case "documents" where seconds != nil: keep.documents = seconds
            case "size" where bytes != nil: keep.size = bytes
            default:
                throw ValidationError("\"\(part)\" is not readable; write for example jobs=30d,documents=1d,size=200MB")
            }
        }
        return keep
    }

    @Sendable static func pageRanges(_ text: String) throws -> [PageRange] {
        var ticket = Ticket()
        do {
            try ticket.set("page-ranges", to: text)
        } catch {
            throw ValidationError("\(error)")
        }
        return ticket.pageRanges ?? []
    }

    /// Short names of media types that are hard to remember.
    static let receiptFormats: [String: DocumentFormat] = DocumentFormat.receiptNames
    static let jobTypeKeywords = JobTypes.keywords.map(\.keyword)
    static let stateKeywords = JobState.allCases.map(\.rawValue)
}

/// The shell's completions. Those that come from the daemon are empty if it does not respond soon.
enum Completion {
    static let printers = CompletionKind.custom { words, _, _ in
        ask(words) { try $0.perform(.printers(PrinterFilter())).printers.map(\.printer.id.rawValue) }
    }
    static let roles = CompletionKind.custom { words, _, _ in
        ask(words) { try $0.perform(.roles()).roles.map(\.name.rawValue) }
    }
    static let profiles = CompletionKind.custom { words, _, _ in
        ask(words) { try $0.perform(.profiles()).profiles.map(\.name) }
    }
    static let jobs = CompletionKind.custom { words, _, _ in
        ask(words) { try $0.perform(.jobs(JobQuery())).jobs.map { String($0.id) } }
    }
    static let tokens = CompletionKind.custom { words, _, _ in
        ask(words) { try $0.perform(.tokens()).tokens.map(\.name) }
    }
    static let receiptFormats = CompletionKind.list(Arguments.receiptFormats.keys.sorted())
    static let trust = CompletionKind.list(["system", "ask", "none", "ca:", "sha256:"])
    static let moments = CompletionKind.list(["10m", "1h", "today", "yesterday", "7d"])
    static let jobTypes = CompletionKind.list(Arguments.jobTypeKeywords)
    static let states = CompletionKind.list(Arguments.stateKeywords)

    private static func ask(_ words: [String], _ question: (BlockingClient) throws -> [String]) -> [String] {
        var options = BlockingClient.Options()
        options.connectTimeout = .milliseconds(300)
        options.hostConnectTimeout = .seconds(1)
        options.responseTimeout = .seconds(1)
        let choice = DaemonChoice(
            socket: value(of: "--socket", in: words), stateDirectory: value(of: "--state-dir", in: words),
            host: value(of: "--host", in: words),
            fingerprint: value(of: "--host-fingerprint", in: words).flatMap { Fingerprint($0) },
            tokenFile: value(of: "--token-file", in: words))
        // A completion cannot show errors: without a response it is empty.
        return (try? question(BlockingClient(address: choice.address(), options: options))) ?? []
    }

    private static func value(of option: String, in words: [String]) -> String? {
        guard let index = words.firstIndex(of: option), index + 1 < words.count else {
            return words.first { $0.hasPrefix("\(option)=") }.map { String($0.dropFirst(option.count + 1)) }
        }
        return words[index + 1]
    }
}
