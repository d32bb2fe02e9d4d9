import DrawingMessages

/// Why something was not drawn.
package struct DrawingError: Error, Hashable, Sendable, CustomStringConvertible {
    package var code: Code
    /// What happened and what to do, in a sentence without an end.
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
        /// A picture that is broken.
        package static let picture = Code(.picture)
        /// Data that its symbology cannot hold, or that has no room.
        package static let code = Code(.code)
        /// The drawing program could not draw it, not even one that was just started.
        package static let failed = Code(.failed)
        /// Too much is waiting to be drawn; it may be asked again.
        package static let busy = Code(.busy)
        /// The task was canceled.
        package static let canceled = Code(.canceled)
        /// The drawing took more processor time than it may.
        package static let processorTime = Code(.processorTime)
        /// The drawing program crashed over it, twice.
        package static let crashed = Code(.crashed)
        /// The drawing program was killed or stopped, or made no progress, through no fault of the drawing.
        package static let interrupted = Code(.interrupted)
        /// The drawing program could not be started.
        package static let cannotStart = Code(.cannotStart)
        /// Nothing is drawn any more.
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
