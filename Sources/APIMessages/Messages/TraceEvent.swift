public import KioskPrintModel

/// One event of `GET /v1/printers/{id}/trace`: a line of what goes over the wire to the printer, or of its jobs' steps.
///
/// No line holds a secret. Of documents only numbers of bytes are told, unless the printer or its host sends a part of
/// one back: docs/tracing.md says how much is shown then.
public struct TraceEvent: Hashable, Sendable, Codable {
    /// What the event says.
    public var kind: Kind
    /// When the daemon was told of it.
    public var time: Timestamp
    /// The printer that is traced.
    public var printer: PrinterID
    /// What the line is about: `job`, `ipp`, `tls`, `ssh`, `usb` or `registry`; with `trace` only. More may be added.
    public var source: String?
    /// The line, or the reason for the end.
    public var message: String?
    /// The number of lines that are missing here; with `dropped` only.
    public var count: Int?

    /// The kinds of events on a trace.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// A line.
        case trace
        /// Lines are missing here, since the client did not read them in time.
        case dropped
        /// The trace ends: its time is over, or the printer was removed.
        case end
    }

    /// An event of this kind; the others are for the kinds that have them.
    public init(
        _ kind: Kind, at time: Timestamp, of printer: PrinterID, source: String? = nil, message: String? = nil,
        count: Int? = nil
    ) {
        self.kind = kind
        self.time = time
        self.printer = printer
        self.source = source
        self.message = message
        self.count = count
    }
}

extension TraceEvent {
    /// This event as a server-sent event: its kind is the type, its JSON the data. It has no id, since nothing of a
    /// trace is kept to resume from.
    public func serverSentEvent() throws -> ServerSentEvent {
        ServerSentEvent(event: kind.rawValue, data: String(decoding: try APIJSON.encode(self), as: UTF8.self))
    }

    /// Reads an event of the stream; nil for a kind that this version does not know.
    public init?(_ event: ServerSentEvent) throws {
        guard Kind(rawValue: event.event) != nil else { return nil }
        self = try APIJSON.decode(TraceEvent.self, from: Array(event.data.utf8))
    }
}

/// The parameter of `GET /v1/printers/{id}/trace`: the whole seconds for which the trace runs.
public enum TraceParameter {
    /// The parameter's name.
    public static let key = "for"

    /// Reads a query; the standard time where it names none. Throws a `Problem`.
    public static func parse(query: String?) throws -> Int {
        let items = try QueryItems(query)
        try items.refuseKeys(besides: [key])
        let range = 1...APILimits.maximumTrace
        return try items.value(key, write: "whole seconds from 1 to \(APILimits.maximumTrace)") {
            Int(digits: $0, in: range)
        } ?? APILimits.standardTrace
    }
    /// The path of a client's request for a trace of so long.
    package static func path(_ printer: PrinterID, for time: Duration) -> String {
        "\(APIPaths.trace(printer))?\(key)=\(time.wholeSeconds)"
    }
}
