/// The settings of a stream that the fleet depends on, as JetStream's API names them. Other settings of a stream are
/// its operator's.
package struct StreamConfiguration: Hashable, Sendable, Codable {
    package var name: String
    package var subjects: [String]
    /// `limits`: messages stay until a limit takes them, whoever has read them.
    package var retention = "limits"
    package var storage = "file"
    package var replicas: Int
    /// In nanoseconds; 0: for ever.
    package var maximumAge: Int64
    /// -1: any number.
    package var maximumMessagesPerSubject: Int
    /// Of headers and body, in bytes; -1: any.
    package var maximumMessageLength = -1
    /// `new`: a message beyond a limit is refused; `old`: it takes the place of the oldest.
    package var discard: String
    /// Whether `discard` holds for the messages of each subject too.
    package var discardsNewPerSubject = false
    /// Whether a message may name its own lifetime (server 2.11).
    package var allowsMessageTTL = false
    /// -1: any number.
    package var maximumConsumers = -1
    /// Whether messages can be fetched by subject without a consumer.
    package var allowsDirect = false
    /// Whether a message may take the place of all before it.
    package var allowsRollup = false
    package var deniesDelete = false
    package var deniesPurge = false

    private enum CodingKeys: String, CodingKey {
        case name, subjects, retention, storage, discard
        case replicas = "num_replicas"
        case maximumAge = "max_age"
        case maximumMessagesPerSubject = "max_msgs_per_subject"
        case maximumMessageLength = "max_msg_size"
        case discardsNewPerSubject = "discard_new_per_subject"
        case allowsMessageTTL = "allow_msg_ttl"
        case maximumConsumers = "max_consumers"
        case allowsDirect = "allow_direct"
        case allowsRollup = "allow_rollup_hdrs"
        case deniesDelete = "deny_delete"
        case deniesPurge = "deny_purge"
    }

    package init(
        name: String, subjects: [String], replicas: Int, maximumAge: Int64, maximumMessagesPerSubject: Int,
        discard: String
    ) {
        (self.name, self.subjects, self.replicas) = (name, subjects, replicas)
        (self.maximumAge, self.maximumMessagesPerSubject) = (maximumAge, maximumMessagesPerSubject)
        self.discard = discard
    }

    /// The server leaves out what is false.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func flag(_ key: CodingKeys) throws -> Bool { try values.decodeIfPresent(Bool.self, forKey: key) ?? false }
        name = try values.decode(String.self, forKey: .name)
        subjects = try values.decodeIfPresent([String].self, forKey: .subjects) ?? []
        retention = try values.decode(String.self, forKey: .retention)
        storage = try values.decode(String.self, forKey: .storage)
        discard = try values.decode(String.self, forKey: .discard)
        replicas = try values.decode(Int.self, forKey: .replicas)
        maximumAge = try values.decodeIfPresent(Int64.self, forKey: .maximumAge) ?? 0
        maximumMessagesPerSubject = try values.decodeIfPresent(Int.self, forKey: .maximumMessagesPerSubject) ?? -1
        maximumMessageLength = try values.decodeIfPresent(Int.self, forKey: .maximumMessageLength) ?? -1
        maximumConsumers = try values.decodeIfPresent(Int.self, forKey: .maximumConsumers) ?? -1
        discardsNewPerSubject = try flag(.discardsNewPerSubject)
        allowsMessageTTL = try flag(.allowsMessageTTL)
        allowsDirect = try flag(.allowsDirect)
        allowsRollup = try flag(.allowsRollup)
        deniesDelete = try flag(.deniesDelete)
        deniesPurge = try flag(.deniesPurge)
    }

    /// One setting that differs from what is wanted.
    package struct Difference: Hashable, Sendable, CustomStringConvertible {
        /// As JetStream's API names it.
        package var setting: String
        package var wanted: String
        package var found: String

        package var description: String { "\(setting) is \(found), and should be \(wanted)" }
    }

    /// What `found` has otherwise, in a fixed order.
    package func differences(from found: StreamConfiguration) -> [Difference] {
        var differences: [Difference] = []
        func compare(_ key: CodingKeys, _ wanted: String, _ found: String) {
            guard wanted != found else { return }
            differences.append(Difference(setting: key.stringValue, wanted: wanted, found: found))
        }
        func compare(_ key: CodingKeys, _ path: KeyPath<StreamConfiguration, some CustomStringConvertible>) {
            compare(key, "\(self[keyPath: path])", "\(found[keyPath: path])")
        }
        compare(.subjects, subjects.sorted().joined(separator: " "), found.subjects.sorted().joined(separator: " "))
        compare(.retention, \.retention)
        compare(.storage, \.storage)
        compare(.replicas, \.replicas)
        compare(.maximumAge, \.maximumAge)
        compare(.maximumMessagesPerSubject, \.maximumMessagesPerSubject)
        compare(.maximumMessageLength, \.maximumMessageLength)
        compare(.discard, \.discard)
        compare(.discardsNewPerSubject, \.discardsNewPerSubject)
        compare(.allowsMessageTTL, \.allowsMessageTTL)
        compare(.maximumConsumers, \.maximumConsumers)
        compare(.allowsDirect, \.allowsDirect)
        compare(.allowsRollup, \.allowsRollup)
        compare(.deniesDelete, \.deniesDelete)
        compare(.deniesPurge, \.deniesPurge)
        return differences
    }
}
