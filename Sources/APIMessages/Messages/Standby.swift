import FoundationEssentials
package import KioskPrintModel

/// The body of `PUT /v1/standby/{node}/{id}`: a job that a kiosk has accepted, which its partner keeps and takes over
/// where the kiosk falls silent. The path names the kiosk and its job.
package struct StandbyJob: Hashable, Sendable, Codable {
    /// The name of the kiosk's queue: one that takes its place counts its jobs from 1 again.
    package var queue: String
    package var role: RoleName
    package var name: String
    package var user: String?
    package var format: DocumentFormat
    /// As the till asked for it, and without secrets.
    package var ticket: Ticket
    /// The till's own key, and the SHA-256 of its access token's secret: tokens have other numbers at another kiosk.
    /// Nil where the till has none that another kiosk could know.
    package var till: Till?
    /// The name that the job shows where `user` is nil.
    package var ownerName: String?
    package var requestID: String?
    /// The seconds since the kiosk has accepted it.
    package var age: Int
    package var document: [UInt8]

    /// By what a till that repeats a job at the other kiosk is known there.
    package struct Till: Hashable, Sendable, Codable {
        package var key: String
        /// In lower-case hexadecimal.
        package var token: String

        package init(key: String, token: String) { (self.key, self.token) = (key, token) }
    }

    package init(
        queue: String, role: RoleName, name: String, user: String?, format: DocumentFormat, ticket: Ticket,
        till: Till?, ownerName: String?, requestID: String?, age: Int, document: [UInt8]
    ) {
        (self.queue, self.role, self.name, self.user) = (queue, role, name, user)
        (self.format, self.ticket, self.till) = (format, ticket.withoutSecrets, till)
        (self.ownerName, self.requestID, self.age, self.document) = (ownerName, requestID, age, document)
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case queue, role, name, user
        case format = "document-format"
        case ticket, till
        case ownerName = "owner-name"
        case requestID = "request-id"
        case age, document
    }

    package init(from decoder: any Decoder) throws {
        try decoder.refuseKeys(besides: CodingKeys.allCases.map(\.rawValue))
        let container = try decoder.container(keyedBy: CodingKeys.self)
        queue = try container.decode(String.self, forKey: .queue)
        guard Self.isQueueName(queue) else {
            throw DecodingError.dataCorruptedError(
                forKey: .queue, in: container, debugDescription: "it is not 1 to \(Self.maximumQueueName) letters")
        }
        role = try container.decode(RoleName.self, forKey: .role)
        name = try container.decode(String.self, forKey: .name)
        user = try container.decodeIfPresent(String.self, forKey: .user)
        format = try container.decode(DocumentFormat.self, forKey: .format)
        ticket = try container.decodeIfPresent(StrictTicketDefaults.self, forKey: .ticket)?.ticket ?? Ticket()
        till = try container.decodeIfPresent(Till.self, forKey: .till)
        ownerName = try container.decodeIfPresent(String.self, forKey: .ownerName)
        requestID = try container.decodeIfPresent(String.self, forKey: .requestID)
        age = try container.decode(Int.self, forKey: .age)
        guard (0...Self.maximumAge).contains(age) else {
            throw DecodingError.dataCorruptedError(
                forKey: .age, in: container, debugDescription: "it is not 0 to \(Self.maximumAge) seconds")
        }
        let base64 = try container.decode(String.self, forKey: .document)
        guard let data = Data(base64Encoded: base64) else {
            throw DecodingError.dataCorruptedError(
                forKey: .document, in: container, debugDescription: "it is not base64 text (RFC 4648 §4)")
        }
        document = Array(data)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(queue, forKey: .queue)
        try container.encode(role, forKey: .role)
        try container.encode(name, forKey: .name)
        try container.encodeIfPresent(user, forKey: .user)
        try container.encode(format, forKey: .format)
        if ticket != Ticket() { try container.encode(ticket, forKey: .ticket) }
        try container.encodeIfPresent(till, forKey: .till)
        try container.encodeIfPresent(ownerName, forKey: .ownerName)
        try container.encodeIfPresent(requestID, forKey: .requestID)
        try container.encode(age, forKey: .age)
        try container.encode(Data(document).base64EncodedString(), forKey: .document)
    }

    /// In seconds: more than a job may wait.
    package static let maximumAge = 400 * 86_400
    private static let maximumQueueName = 64

    /// Whether a text can be the name of a kiosk's queue.
    package static func isQueueName(_ text: String) -> Bool {
        (1...maximumQueueName).contains(text.utf8.count)
            && text.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
    }
}

/// How a partner has a job.
package struct StandbyStanding: Hashable, Sendable, Codable {
    package enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// The partner keeps it, and does nothing with it.
        case held
        /// The partner has made it a job of its own.
        case taken
    }

    package var standby: State
    /// The partner's own job, where it has taken the job over.
    package var job: Job.ID?

    package init(_ standby: State, job: Job.ID? = nil) { (self.standby, self.job) = (standby, job) }
}

/// The response to `GET /v1/standby`: what a kiosk has of its partner's jobs, by number.
package struct StandbyList: Hashable, Sendable, Codable {
    /// The kiosk that has them.
    package var node: String
    /// How many of the partner's jobs it holds in all.
    package var held: Int
    package var jobs: [Entry]
    /// What to ask for as `after` to get the next page; nil at the end.
    package var next: Job.ID?

    package struct Entry: Hashable, Sendable, Codable {
        /// The name of the kiosk that accepted the job, and the job's number there.
        package var node: String
        package var id: Job.ID
        package var standby: StandbyStanding.State
        package var job: Job.ID?

        package init(node: String, id: Job.ID, standby: StandbyStanding.State, job: Job.ID?) {
            (self.node, self.id, self.standby, self.job) = (node, id, standby, job)
        }
    }

    package init(node: String, held: Int, jobs: [Entry], next: Job.ID?) {
        (self.node, self.held, self.jobs, self.next) = (node, held, jobs, next)
    }
}

/// The query of `GET /v1/standby`: whose jobs are listed. Without a node, every kiosk's.
package struct StandbyQuery: Hashable, Sendable {
    package var node: String?
    /// The queue that the kiosk has now; what the partner has of an older one is lost there.
    package var queue: String?
    /// Only those in this state.
    package var state: StandbyStanding.State?
    /// Only jobs with a greater number; 0 for all.
    package var after: Job.ID = 0

    package init(node: String? = nil, queue: String? = nil, state: StandbyStanding.State? = nil, after: Job.ID = 0) {
        (self.node, self.queue, self.state, self.after) = (node, queue, state, after)
    }

    /// Reads a query. Throws a `Problem`.
    package init(query: String?) throws {
        let items = try QueryItems(query)
        try items.refuseKeys(besides: ["node", "queue", "standby", "after"])
        node = items["node"]
        queue = try items.value("queue", write: "the name of the kiosk's queue") {
            StandbyJob.isQueueName($0) ? $0 : nil
        }
        guard queue == nil || node != nil else {
            throw Problem(.invalidParameter, detail: "queue is that of a kiosk; name the kiosk as node")
        }
        state = try items.value("standby", write: "held or taken") { StandbyStanding.State(rawValue: $0) }
        after = try items.value("after", write: "a job's number") { Int64($0).flatMap { $0 >= 0 ? $0 : nil } } ?? 0
    }

    package var path: String {
        var items = QueryItems()
        items.add("node", node)
        items.add("queue", queue)
        items.add("standby", state?.rawValue)
        if after > 0 { items.add("after", "\(after)") }
        return APIPaths.standby + items.suffix
    }
}
