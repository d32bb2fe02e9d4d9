import DrawingMessages

/// The reason why something was not drawn.
package struct DrawingError: Error, Hashable, Sendable, CustomStringConvertible {
    package var code: Code
    /// What happened and what to do: a sentence without its full stop.
    package var message: String

    package struct Code: Hashable, Sendable {
        private enum Kind {
            case tooLarge, picture, code, failed, busy, canceled, processorTime, crashed, interrupted, cannotStart,
                shutDown
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// Larger than any receipt.
        package static let tooLarge = Code(.tooLarge)
        /// A damaged picture.
        package static let picture = Code(.picture)
        /// Data that its symbology cannot hold, or a code that is larger than its place.
        package static let code = Code(.code)
        /// The drawing program could not draw it, even right after its start.
        package static let failed = Code(.failed)
        /// The queue is full; the same drawing may be tried again.
        package static let busy = Code(.busy)
        /// The task was canceled.
        package static let canceled = Code(.canceled)
        /// The drawing took more processor time than it may.
        package static let processorTime = Code(.processorTime)
        /// The drawing program crashed on it, twice.
        package static let crashed = Code(.crashed)
        /// The drawing program was killed or stopped, or made no progress, through no fault of the drawing.
        package static let interrupted = Code(.interrupted)
        /// The drawing program could not be started.
        package static let cannotStart = Code(.cannotStart)
        /// The service is shutting down.
        package static let shutDown = Code(.shutDown)

        /// Whether the same drawing may succeed later, because the drawing itself is not at fault.
        package var isPassing: Bool {
            switch kind {
            case .busy, .canceled, .interrupted, .cannotStart, .shutDown: true
            case .tooLarge, .picture, .code, .failed, .processorTime, .crashed: false
            }
        }
    }

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    init(_ refusal: DrawingRefusal) {
        let code: Code =
            switch refusal.code {
            case .tooLarge: .tooLarge
            case .picture: .picture
            case .code: .code
            case .drawing: .failed
            }
        self.init(code, refusal.message)
    }

    package var description: String { message }
}

/// The state of the drawing service, with a sentence (without its full stop) about what is wrong.
package enum DrawingCondition: Hashable, Sendable {
    case well
    /// The program is slow, or ended recently and has not drawn since.
    case slow(String)
    /// The program does not start: nothing can be drawn.
    case cannotStart(String)
}
