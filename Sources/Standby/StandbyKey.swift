/// A job of a kiosk, as its partner knows it.
package struct StandbyKey: Hashable, Sendable {
    /// The kiosk's name.
    package var node: String
    /// The name of the kiosk's queue.
    package var queue: String
    /// The job's number there.
    package var job: Int64

    package init(node: String, queue: String, job: Int64) { (self.node, self.queue, self.job) = (node, queue, job) }
}

/// How a partner's job is kept.
package enum StandbyState: Hashable, Sendable {
    /// Nothing is done with it.
    case held
    /// It is a job of this kiosk's own, by its number.
    case taken(as: Int64)
}

/// A job as a partner sent it.
package struct HeldJob: Hashable, Sendable {
    /// Whose key it is, by the names of this kiosk; nil where its sender has none here.
    package var caller: String?
    package var idempotencyKey: String?
    /// What is asked for, in the form that its reader has.
    package var request: [UInt8]
    package var document: [UInt8]
    /// The seconds since its acceptance.
    package var age: Int

    package init(caller: String?, idempotencyKey: String?, request: [UInt8], document: [UInt8], age: Int) {
        (self.caller, self.idempotencyKey) = (caller, idempotencyKey)
        (self.request, self.document, self.age) = (request, document, age)
    }
}

/// Why a job is not kept for a partner.
package struct StandbyError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        case full, tooLarge
    }

    package var code: Code
    package var message: String
    package var description: String { message }

    init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }
}
