import KioskPrintModel

/// The hub's word that a login has no right to a subject.
package struct HubRefusal: Hashable, Sendable, CustomStringConvertible {
    package let action: Action
    package let subject: String

    package enum Action: String, Hashable, Sendable {
        case publish = "Publish"
        case subscribe = "Subscription"
    }

    package var description: String {
        switch action {
        case .publish: "the hub refuses this login to publish to \(subject): its rights do not have it"
        case .subscribe: "the hub refuses this login to subscribe to \(subject): its rights do not have it"
        }
    }

    /// In bytes: longer than a subject and what stands before it.
    private static let maximumLength = 1024

    /// Reads nats-server's error: `Permissions Violation for Publish to "subject"`, or `for Subscription to "subject"`
    /// with or without a queue's name behind it. Nil where it is another error. Control characters become spaces.
    init?(errorText text: String) {
        let text = text.utf8.prefix(Self.maximumLength)
        let parts = String(decoding: text, as: UTF8.self).split(
            separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].lowercased().contains("permissions violation") else { return nil }
        guard
            let action = [Action.publish, .subscribe].first(where: {
                parts[0].lowercased().contains("for \($0.rawValue.lowercased()) to")
            })
        else { return nil }
        self.action = action
        subject = String(parts[1]).withoutControlCharacters
    }
}
