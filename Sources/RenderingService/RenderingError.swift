import KioskRenderingMessages

/// The reason why a document was not drawn. It concerns this document only.
package struct RenderingError: Error, Hashable, Sendable, CustomStringConvertible {
    package var code: Code
    /// What happened and what to do: a sentence without its full stop.
    package var message: String
    /// The side that was drawn when it happened, from 0; nil where it was none.
    package var side: Int?

    /// The kinds of errors.
    package struct Code: Hashable, Sendable {
        private enum Kind {
            case password, damaged, unsupported, tooLarge, memory, unavailable, failed, cpuTime, crashed, interrupted
            case cannotStart, canceled, shutDown
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// The document needs a password, or another one.
        package static let password = Code(.password)
        /// The document is damaged, or not of the format that it was said to be.
        package static let damaged = Code(.damaged)
        /// The document uses something that cannot be printed here.
        package static let unsupported = Code(.unsupported)
        /// The document exceeds `RenderingLimits`.
        package static let tooLarge = Code(.tooLarge)
        /// A page needs more memory than it may have.
        package static let memory = Code(.memory)
        /// The library that draws this format is not installed.
        package static let unavailable = Code(.unavailable)
        /// The rendering program could not draw it, through a fault of its own.
        package static let failed = Code(.failed)
        /// A side took more CPU time than it may.
        package static let cpuTime = Code(.cpuTime)
        /// The rendering program crashed on it.
        package static let crashed = Code(.crashed)
        /// The rendering program was killed or stopped, or made no progress, through no fault of the document.
        package static let interrupted = Code(.interrupted)
        /// The rendering program could not be started.
        package static let cannotStart = Code(.cannotStart)
        /// The rendering was canceled.
        package static let canceled = Code(.canceled)
        /// The service is shutting down.
        package static let shutDown = Code(.shutDown)

        /// Whether the same document may succeed later, because the document itself is not at fault.
        package var isTransient: Bool {
            switch kind {
            case .interrupted, .cannotStart, .canceled, .shutDown, .unavailable: true
            case .password, .damaged, .unsupported, .tooLarge, .memory, .failed, .cpuTime, .crashed: false
            }
        }
    }

    init(_ code: Code, _ message: String, side: Int? = nil) {
        self.code = code
        self.message = message
        self.side = side
    }

    init(_ refusal: RenderingRefusal, side: Int? = nil) {
        let code: Code =
            switch refusal.code {
            case .password: .password
            case .damaged: .damaged
            case .unsupported: .unsupported
            case .tooLarge: .tooLarge
            case .memory: .memory
            case .unavailable: .unavailable
            case .rendering: .failed
            }
        self.init(code, refusal.message, side: side)
    }

    package var description: String { message }

    static let canceled = RenderingError(.canceled, "the rendering was canceled")
    static let shutDown = RenderingError(.shutDown, "nothing is drawn any more, because the service is shutting down")
    static let ended = RenderingError(.interrupted, "the document is closed; open it again")
}
