import FoundationEssentials

/// The calls of JetStream's API that the fleet needs: JSON requests over the link (ADR-1, ADR-31). Every call ends by
/// its timeout.
package struct JetStream: Sendable {
    package let link: any FleetLink
    /// How long a response is awaited: longer than the election of a leader (4 to 9 s) is no use, since whoever asks
    /// repeats.
    package var timeout: Duration
    /// For how long the hub is asked for a consumer; the last request still gets its own timeout. A hub that has just
    /// started creates some hundred consumers a second.
    private let consumerTimeout: Duration
    /// After which time the hub is asked for a consumer again, under another name.
    private let consumerPause: Duration

    /// `consumerTimeout`: nil to ask once. `consumerPause`: nil for `timeout`.
    package init(
        _ link: any FleetLink, timeout: Duration = .seconds(5), consumerTimeout: Duration? = nil,
        consumerPause: Duration? = nil
    ) {
        (self.link, self.timeout) = (link, timeout)
        self.consumerTimeout = consumerTimeout ?? timeout
        self.consumerPause = consumerPause ?? timeout
    }

    // MARK: Messages

    /// Where a message was stored.
    package struct Acknowledgement: Hashable, Sendable {
        package var stream: String
        package var sequence: UInt64
    }

    /// Stores a message, and returns once the hub has it, on as many servers as its stream has it kept by. Throws
    /// `refused` with the hub's own code, such as `subjectTaken`. Any other error leaves open whether it is stored.
    package func publish(
        _ subject: FleetSubject, headers: [String: String] = [:], body: [UInt8]
    ) async throws -> Acknowledgement {
        let message = HubMessage(subject: subject.text, headers: headers, body: body)
        let answer: PublishAnswer = try await answer(to: message, doing: "store \(subject.text)")
        guard let stream = answer.stream, let sequence = answer.seq else {
            throw FleetError(.malformed, "the hub's response to a message for \(subject.text) names no stream")
        }
        return Acknowledgement(stream: stream, sequence: sequence)
    }

    /// JetStream's code where a stream keeps as many messages of the subject as it may (`maximum messages per subject
    /// exceeded`). For a sender that repeats a job it says that the hub has the first.
    package static let subjectTaken = 10077

    /// Names the number of the subject's last message, 0 for none: the hub refuses (`wrongLastSequence`) if it is another.
    package static let expectedSequenceHeader = "Nats-Expected-Last-Subject-Sequence"
    package static let wrongLastSequence = 10071
    /// The number of a message in its stream, as direct access gives it.
    package static let sequenceHeader = "Nats-Sequence"
    /// When it was stored, as RFC 3339 has it.
    package static let timeHeader = "Nats-Time-Stamp"

    /// The last message of a subject in a stream with direct access; nil where there is none.
    package func lastMessage(of subject: FleetSubject, in stream: String) async throws -> HubMessage? {
        let message = try await link.request(
            HubMessage(subject: "$JS.API.DIRECT.GET.\(stream).\(subject.text)"), timeout: timeout)
        // A sender's own header may look like a status: what has a number is a message.
        switch message.headers[Self.sequenceHeader] == nil ? message.status : nil {
        case nil: return message
        case 404: return nil
        case let status?:
            throw FleetError(
                .refused, "the hub does not give the last message of \(subject.text): status \(status)",
                hubCode: status)
        }
    }

    // MARK: Streams

    /// The settings of a stream; nil where there is none of the name.
    package func configuration(of stream: String) async throws -> StreamConfiguration? {
        do {
            let answer: StreamAnswer = try await answer(
                to: HubMessage(subject: "$JS.API.STREAM.INFO.\(stream)"), doing: "describe the stream \(stream)")
            guard let configuration = answer.config else {
                throw FleetError(.malformed, "the hub describes the stream \(stream) without its settings")
            }
            return configuration
        } catch let error as FleetError where error.hubCode == Self.streamNotFound {
            return nil
        }
    }

    /// How much a stream keeps.
    package struct StreamSize: Hashable, Sendable {
        package var messages: UInt64
        package var bytes: UInt64
    }

    /// How much a stream keeps now; nil where there is none of the name.
    package func size(of stream: String) async throws -> StreamSize? {
        do {
            let answer: StreamSizeAnswer = try await answer(
                to: HubMessage(subject: "$JS.API.STREAM.INFO.\(stream)"), doing: "describe the stream \(stream)")
            guard let state = answer.state else {
                throw FleetError(.malformed, "the hub describes the stream \(stream) without its size")
            }
            return StreamSize(messages: state.messages, bytes: state.bytes)
        } catch let error as FleetError where error.hubCode == Self.streamNotFound {
            return nil
        }
    }

    package func create(_ stream: StreamConfiguration) async throws {
        try await change("CREATE", stream)
    }

    /// Changes the settings of a stream; those that `stream` does not name stay as they are.
    package func update(_ stream: StreamConfiguration) async throws {
        // The server takes a whole configuration, and its defaults for what is left out.
        let info = HubMessage(subject: "$JS.API.STREAM.INFO.\(stream.name)")
        let answer: RawStreamAnswer = try await answer(to: info, doing: "describe the stream \(stream.name)")
        guard var settings = answer.config else {
            throw FleetError(.malformed, "the hub describes the stream \(stream.name) without its settings")
        }
        let wanted = try JSONDecoder().decode([String: JSONValue].self, from: JSONEncoder().encode(stream))
        settings.merge(wanted) { $1 }
        try await send("UPDATE", stream.name, Array(JSONEncoder().encode(settings)))
    }

    private func change(_ verb: String, _ stream: StreamConfiguration) async throws {
        try await send(verb, stream.name, Array(JSONEncoder().encode(stream)))
    }

    private func send(_ verb: String, _ stream: String, _ body: [UInt8]) async throws {
        let message = HubMessage(subject: "$JS.API.STREAM.\(verb).\(stream)", body: body)
        let _: StreamAnswer = try await answer(to: message, doing: "\(verb.lowercased()) the stream \(stream)")
    }

    package static let streamNotFound = 10059

    // MARK: Consumers

    /// What a consumer is to deliver, and from when on.
    struct ConsumerConfiguration: Sendable {
        var stream: String
        /// The filter is a part of the subject, so that rights decide about it.
        var filter: String
        var start: Start
        /// Whether bodies stay at the hub.
        var isHeadersOnly = false

        enum Start: Sendable {
            /// In ns since 1970 by the hub's clock.
            case time(Int64)
            /// With the last message of each subject.
            case lastOfEachSubject
        }
    }

    /// A consumer that the hub has made.
    struct Consumer: Sendable {
        /// Random: a login cannot list others' consumers, so the name is a secret. New for each request: under a name
        /// that was used before, the hub waits for the server that had that consumer.
        let name: String
        let configuration: ConsumerConfiguration
        /// What time it is, in ns since 1970 by the hub's clock; nil where the hub does not say.
        var hubTime: Int64?
        /// How many messages it has to deliver so far.
        var pending: UInt64
    }

    /// Makes a consumer that ends by itself when nothing was asked of it for a minute, and that acknowledges nothing.
    ///
    /// The hub places a consumer on any of the stream's servers, for two minutes even on one that has died; then a request
    /// under that name gets no response. So the hub is asked again under another name, after growing pauses, since it may
    /// only be busy. The first response counts, and a surplus consumer ends by itself.
    func create(_ configuration: ConsumerConfiguration) async throws -> Consumer {
        let deadline = ContinuousClock.now + consumerTimeout
        return try await withThrowingTaskGroup(of: Result<Consumer, FleetError>?.self) { group in
            defer { group.cancelAll() }
            var pause = consumerPause
            var (waiting, refusal): (Int, FleetError?) = (0, nil)
            while true {
                waiting += 1
                group.addTask {
                    do {
                        return .success(try await make(configuration, named: RandomToken.text()))
                    } catch let error as FleetError {
                        return .failure(error)
                    }
                }
                group.addTask { [pause] in
                    try await Task.sleep(for: pause)
                    return nil
                }
                var isPauseOver = false
                while !isPauseOver {
                    switch try await group.next() ?? nil {
                    case .success(let made): return made
                    case .failure(let error):
                        // The request before this one may still be answered.
                        waiting -= 1
                        guard waiting > 0, error.code != .notConnected else { throw error }
                        refusal = error
                    case nil: isPauseOver = true
                    }
                }
                guard .now < deadline else {
                    throw refusal
                        ?? FleetError(
                            .noResponse,
                            "the hub has not made a consumer of \(configuration.filter) in time: it is busy, or has lost a server"
                        )
                }
                pause = .milliseconds(Int64(pause / .milliseconds(1) * .random(in: 1.5...2.5)))
            }
        }
    }

    /// Waits for the hub to make a consumer, until the task is cancelled.
    private func make(_ wanted: ConsumerConfiguration, named name: String) async throws -> Consumer {
        var configuration = ConsumerRequest.Configuration(name: name, filter_subject: wanted.filter)
        switch wanted.start {
        case .time(let time):
            (configuration.deliver_policy, configuration.opt_start_time) = ("by_start_time", Self.text(ofTime: time))
        case .lastOfEachSubject: configuration.deliver_policy = "last_per_subject"
        }
        if wanted.isHeadersOnly { configuration.headers_only = true }
        let request = ConsumerRequest(stream_name: wanted.stream, config: configuration)
        let message = HubMessage(
            subject: "$JS.API.CONSUMER.CREATE.\(wanted.stream).\(name).\(wanted.filter)",
            body: Array(try JSONEncoder().encode(request)))
        let answer: ConsumerAnswer = try await answer(
            to: message, within: Self.unlimited, doing: "make a consumer of \(wanted.filter)")
        return Consumer(
            name: name, configuration: wanted, hubTime: (answer.ts ?? answer.created).flatMap(Self.time(ofText:)),
            pending: answer.num_pending ?? 0)
    }

    /// For a request whose task is cancelled in time.
    private static let unlimited: Duration = .seconds(86_400)

    /// Asks for the next messages of a consumer, which come to `subject`: at most `count` within `time`, and a
    /// heartbeat in each `heartbeat` without one.
    func requestNext(
        _ count: Int, of consumer: Consumer, to subject: String, within time: Duration, heartbeat: Duration? = nil
    )
        throws
    {
        let request = NextRequest(batch: count, expires: time.nanoseconds, idle_heartbeat: heartbeat?.nanoseconds)
        try link.publish(
            HubMessage(
                subject: "$JS.API.CONSUMER.MSG.NEXT.\(consumer.configuration.stream).\(consumer.name)",
                replySubject: subject,
                body: Array(try JSONEncoder().encode(request))))
    }

    /// A time of RFC 3339 in UTC with nine digits of a second.
    package static func text(ofTime nanoseconds: Int64) -> String {
        let (seconds, rest) = max(0, nanoseconds).quotientAndRemainder(dividingBy: 1_000_000_000)
        let whole = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
        return "\(whole.dropLast()).\(String(repeating: "0", count: 9 - "\(rest)".count))\(rest)Z"
    }

    /// Reads such a time, with up to nine digits of a second, in UTC; nil where it is none.
    package static func time(ofText text: String) -> Int64? {
        guard text.utf8.count <= 40, text.last == "Z", !text.utf8.contains(where: { $0 > 0x7F }) else { return nil }
        let parts = text.dropLast().split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let whole = try? Date("\(parts[0])Z", strategy: .iso8601) else {
            return nil
        }
        let digits = parts.count == 2 ? parts[1] : "0"
        guard (1...9).contains(digits.utf8.count), digits.utf8.allSatisfy({ (48...57).contains($0) }),
            let fraction = Int64(digits + String(repeating: "0", count: 9 - digits.utf8.count)),
            let seconds = Int64(exactly: whole.timeIntervalSince1970.rounded())
        else { return nil }
        let (nanoseconds, isTooLate) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (time, isOver) = nanoseconds.addingReportingOverflow(fraction)
        return isTooLate || isOver || time < 0 ? nil : time
    }

    /// Calls `take` for the last message of each subject that matches the filter, in the hub's order, with where it is
    /// stored. With `isHeadersOnly` they come without their bodies. Returns what time it was at the hub before, in ns
    /// since 1970; nil where the hub does not say.
    @discardableResult
    package func readLastMessages(
        of filter: String, in stream: String, isHeadersOnly: Bool = false,
        take: @escaping @Sendable (HubMessage, StoredPosition) async throws -> Void
    ) async throws -> Int64? {
        try await read(
            ConsumerConfiguration(
                stream: stream, filter: filter, start: .lastOfEachSubject, isHeadersOnly: isHeadersOnly), take)
    }

    /// Calls `take` for every message whose subject matches the filter, from the oldest on, with where it is stored.
    package func readAllMessages(
        of filter: String, in stream: String,
        take: @escaping @Sendable (HubMessage, StoredPosition) async throws -> Void
    ) async throws {
        _ = try await read(ConsumerConfiguration(stream: stream, filter: filter, start: .time(0)), take)
    }

    private func read(
        _ configuration: ConsumerConfiguration,
        _ take: @escaping @Sendable (HubMessage, StoredPosition) async throws -> Void
    ) async throws -> Int64? {
        let (inbox, messages) = try link.inbox(maximum: 2 * Self.readBatch)
        let watch = SilenceWatch()
        return try await withThrowingTaskGroup(of: Int64?.self) { group in
            group.addTask {
                try await watch.wait(timeout)
                return nil
            }
            group.addTask {
                let consumer = try await watch.pausing { try await create(configuration) }
                if consumer.pending > 0 {
                    try await read(messages, of: consumer, to: inbox, watch, take)
                }
                return consumer.hubTime
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    private static let readBatch = 256

    private func read(
        _ messages: AsyncStream<HubMessage>, of consumer: Consumer, to inbox: String, _ watch: SilenceWatch,
        _ take: (HubMessage, StoredPosition) async throws -> Void
    ) async throws {
        var due = 0
        func ask(for left: UInt64) throws {
            due = Int(min(left, UInt64(Self.readBatch)))
            try requestNext(due, of: consumer, to: inbox, within: timeout)
        }
        try ask(for: consumer.pending)
        for await message in messages {
            watch.heard()
            guard let position = message.replySubject.flatMap({ StoredPosition(replySubject: $0) }) else {
                throw FleetError(
                    .noResponse, "the hub has not sent all that it has of \(consumer.configuration.filter); ask again")
            }
            try await watch.pausing { try await take(message, position) }
            due -= 1
            if position.pending == 0 { return }
            if due == 0 { try ask(for: position.pending) }
        }
        try Task.checkCancellation()
        throw FleetError(.notConnected, "the link to the hub was closed")
    }

    // MARK: Answers

    /// `operation` completes "the hub refuses to …".
    private func answer<Answer: HubAnswer>(
        to message: HubMessage, within timeout: Duration? = nil, doing operation: String
    ) async throws -> Answer {
        let response = try await link.request(message, timeout: timeout ?? self.timeout)
        let answer: Answer
        do {
            answer = try JSONDecoder().decode(Answer.self, from: Data(response.body))
        } catch {
            throw FleetError(.malformed, "the hub's response is none, asked to \(operation)")
        }
        if let problem = answer.error {
            let text = String((problem.description ?? "no reason is given").prefix(Self.maximumReason))
            throw FleetError(.refused, "the hub refuses to \(operation): \(text)", hubCode: problem.err_code)
        }
        return answer
    }

    private static let maximumReason = 500
}

/// What JetStream responds with: its content, or an error.
private protocol HubAnswer: Decodable {
    var error: HubProblem? { get }
}

private struct HubProblem: Decodable {
    var code: Int
    // As the wire spells it.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    var err_code: Int?
    var description: String?
}

private struct PublishAnswer: HubAnswer {
    var error: HubProblem?
    var stream: String?
    var seq: UInt64?
}

private struct StreamAnswer: HubAnswer {
    var error: HubProblem?
    var config: StreamConfiguration?
}

private struct StreamSizeAnswer: HubAnswer {
    struct State: Decodable {
        var messages: UInt64
        var bytes: UInt64
    }
    var error: HubProblem?
    var state: State?
}

private struct RawStreamAnswer: HubAnswer {
    var error: HubProblem?
    var config: [String: JSONValue]?
}

// As the wire spells it.
// swift-format-ignore: AlwaysUseLowerCamelCase
private struct ConsumerRequest: Encodable {
    struct Configuration: Encodable {
        var name: String
        var deliver_policy = "all"
        var opt_start_time: String?
        var ack_policy = "none"
        var filter_subject: String
        var headers_only: Bool?
        var num_replicas = 1
        var mem_storage = true
        /// A minute, in ns.
        var inactive_threshold: Int64 = 60_000_000_000
    }
    var stream_name: String
    var config: Configuration
}

// swift-format-ignore: AlwaysUseLowerCamelCase
private struct ConsumerAnswer: HubAnswer {
    var error: HubProblem?
    var created: String?
    var ts: String?
    var num_pending: UInt64?
}

// swift-format-ignore: AlwaysUseLowerCamelCase
private struct NextRequest: Encodable {
    var batch: Int
    var expires: Int64
    var idle_heartbeat: Int64?
}

extension Duration {
    /// Whole nanoseconds, as JetStream counts time.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return Int64(clamping: seconds) * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}

/// A value of JSON that is handed on as it came.
private enum JSONValue: Codable {
    case null
    case flag(Bool)
    case integer(Int64)
    case number(Double)
    case text(String)
    case list([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let flag = try? value.decode(Bool.self) {
            self = .flag(flag)
        } else if let integer = try? value.decode(Int64.self) {
            self = .integer(integer)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let list = try? value.decode([JSONValue].self) {
            self = .list(list)
        } else {
            self = .object(try value.decode([String: JSONValue].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .null: try value.encodeNil()
        case .flag(let flag): try value.encode(flag)
        case .integer(let integer): try value.encode(integer)
        case .number(let number): try value.encode(number)
        case .text(let text): try value.encode(text)
        case .list(let list): try value.encode(list)
        case .object(let object): try value.encode(object)
        }
    }
}
