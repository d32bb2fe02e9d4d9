import NIOCore

extension IPPTransport {
    /// How long to wait for a printer.
    public struct Deadlines: Sendable {
        /// Until a connection stands. Printers that sleep take seconds to wake.
        public var connect: Duration = .seconds(5)
        /// Without a byte arriving, once a request is sent.
        public var answer: Duration = .seconds(30)
        /// For a whole request without a document.
        public var total: Duration = .seconds(60)
        /// Without a byte moving while a document is sent: a printer out of paper takes none until someone came.
        public var stall: Duration = .seconds(300)
        /// For a whole request with its document.
        public var delivery: Duration = .seconds(4 * 3600)
        /// Without a byte arriving, once a document is sent: some printers answer when they have printed it.
        public var documentAnswer: Duration = .seconds(300)
        /// Without anything to do, until a connection is closed; sooner where the printer closes it sooner. The default
        /// is shorter than any reboot, and than the keep-alive times that are usual in printers (15 to 60 s).
        public var idle: Duration = .seconds(5)
        /// For a printer that is out of reach while it has a job of ours: it may be switched off and on.
        public var lostPrinter: Duration = .seconds(300)
        /// Bytes of an answer: the printer attributes of the largest printers take some ten kilobytes as we ask for
        /// them.
        public var longestAnswer = 1 << 20

        public init() {}
    }
}

extension IPPTransport.Deadlines {
    var forQuestion: HTTPRequest.Patience {
        HTTPRequest.Patience(
            stall: TimeAmount(answer), answer: TimeAmount(answer), total: TimeAmount(total),
            longestAnswer: longestAnswer
        )
    }

    var forDocument: HTTPRequest.Patience {
        HTTPRequest.Patience(
            stall: TimeAmount(stall), answer: TimeAmount(documentAnswer), total: TimeAmount(delivery),
            longestAnswer: longestAnswer
        )
    }
}
