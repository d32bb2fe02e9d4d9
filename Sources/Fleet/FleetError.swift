import KioskPrintModel

/// Why something of the fleet did not work.
package struct FleetError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it is.
    package struct Code: Hashable, Sendable {
        private enum Value {
            case invalidName, invalidAddress, notConnected, noResponse, noResponders, refused, malformed
            case conflict, missing, libraryFailed, invalidKey, notPermitted, noRoom
            case storeRefused, storeUnavailable
        }
        private let value: Value

        /// A site, role or key that cannot be a part of a subject.
        package static let invalidName = Code(value: .invalidName)
        /// The address of the hub or of a document is not valid.
        package static let invalidAddress = Code(value: .invalidAddress)
        /// The hub cannot be reached. What was handed over may have arrived or not.
        package static let notConnected = Code(value: .notConnected)
        /// Nobody has responded in time. What was sent may have had its effect.
        package static let noResponse = Code(value: .noResponse)
        /// Nobody serves the subject (NATS status 503): JetStream is off, has no leader, or has no stream for it.
        package static let noResponders = Code(value: .noResponders)
        /// JetStream has refused the request; `hubCode` and `description` say why.
        package static let refused = Code(value: .refused)
        /// A response is none that the protocol knows.
        package static let malformed = Code(value: .malformed)
        /// The key was used for another job (the API's `idempotency-conflict`).
        package static let conflict = Code(value: .conflict)
        /// The hub has no more what a message names.
        package static let missing = Code(value: .missing)
        /// libnats or OpenSSL refuses a call.
        package static let libraryFailed = Code(value: .libraryFailed)
        /// A key, a token or a file of credentials is none, or not the one that is wanted.
        package static let invalidKey = Code(value: .invalidKey)
        /// The login has no right to do this at the hub.
        package static let notPermitted = Code(value: .notPermitted)
        /// The kiosk's own disk takes nothing now.
        package static let noRoom = Code(value: .noRoom)
        /// A document's store refuses to give it, and a retry would not help.
        package static let storeRefused = Code(value: .storeRefused)
        /// A document's store cannot be reached, ends the response early, or asks to retry later.
        package static let storeUnavailable = Code(value: .storeUnavailable)
    }

    package var code: Code
    /// JetStream's own number of the error (`err_code`), such as 10077; nil where it is not JetStream's.
    package var hubCode: Int?
    /// What failed, and what to do.
    package var description: String

    /// Whether the request may or may not have taken effect, so that it is safe and useful to retry it under the same
    /// key.
    package var isRetryable: Bool {
        [.notConnected, .noResponse, .noResponders, .missing].contains(code) || hubCode == Self.unavailable
    }

    /// JetStream's code while a stream has no leader, such as in an election.
    private static let unavailable = 10008

    /// Control characters become spaces: what the hub or a sender wrote may be a part of the description.
    package init(_ code: Code, _ description: String, hubCode: Int? = nil) {
        (self.code, self.description, self.hubCode) = (code, description.withoutControlCharacters, hubCode)
    }
}
