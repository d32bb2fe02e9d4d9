public import KioskPrintModel

/// One event of a `text/event-stream` (WHATWG HTML §9.2).
public struct ServerSentEvent: Hashable, Sendable {
    /// The id that a client sends back as `Last-Event-ID`; nil leaves the last one in force.
    public var id: String?
    /// The event's type; `message` where the stream names none.
    public var event: String
    /// The event's text. Its lines are joined by line feeds.
    public var data: String

    public init(id: String? = nil, event: String = "message", data: String) {
        self.id = id
        self.event = event
        self.data = data
    }

    /// The event as it is sent, with the empty line that ends it.
    public var encoded: [UInt8] {
        var text = ""
        if let id { text += "id: \(Self.oneLine(id))\n" }
        if event != "message" { text += "event: \(Self.oneLine(event))\n" }
        for line in data.split(omittingEmptySubsequences: false, whereSeparator: \.isLineBreak) {
            text += "data: \(line)\n"
        }
        return Array((text + "\n").utf8)
    }

    /// A comment that keeps proxies and timeouts from ending an idle stream.
    public static let keepAlive: [UInt8] = Array(": still here\n\n".utf8)

    private static func oneLine(_ text: String) -> String {
        String(text.filter { !$0.isLineBreak && $0 != "\0" })
    }
}

extension Character {
    fileprivate var isLineBreak: Bool { self == "\n" || self == "\r" || self == "\r\n" }
}

/// Reads a `text/event-stream` as it arrives, in pieces of any size (WHATWG HTML §9.2.6). No I/O.
public struct ServerSentEventParser: Sendable {
    /// The bytes of the longest event that is read, without its line ends. Longer events are skipped.
    public static let maximumEventLength = 1 << 20

    /// The id to resume from: that of the last complete event with an id, skipped or not.
    public private(set) var lastEventID: String?
    /// The delay before reconnecting that the server asked for, in milliseconds.
    public private(set) var retry: Int?

    /// The number of events that were too long, and so skipped.
    public private(set) var skipped = 0

    private let limit: Int
    private var line: [UInt8] = []
    /// A line feed right behind a carriage return belongs to it.
    private var skipsLineFeed = false
    private var isAtStart = true
    private var id: String?
    private var event = ""
    private var data: [UInt8]?
    private var length = 0
    /// Whether the current event is too long. Of such an event nothing but its id is kept.
    private var isTooLong = false
    private var isLineEmpty = true

    /// Reads events of at most `limit` bytes. `lastEventID` is the id that a resumed stream begins after.
    public init(limit: Int = maximumEventLength, lastEventID: String? = nil) {
        self.limit = limit
        self.lastEventID = lastEventID
    }

    /// Takes the next bytes of the stream, and returns the events that they complete.
    public mutating func parse(_ bytes: some Sequence<UInt8>) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\n") where skipsLineFeed:
                skipsLineFeed = false
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                skipsLineFeed = byte == UInt8(ascii: "\r")
                if let event = endLine() { events.append(event) }
            default:
                skipsLineFeed = false
                take(byte)
            }
        }
        return events
    }

    private mutating func take(_ byte: UInt8) {
        isLineEmpty = false
        guard !isTooLong else { return }
        length += 1
        if length <= limit {
            line.append(byte)
        } else {
            isTooLong = true
            skipped += 1
            (data, line) = (nil, [])
        }
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private mutating func endLine() -> ServerSentEvent? {
        defer {
            line.removeAll(keepingCapacity: true)
            isLineEmpty = true
        }
        if isTooLong { return isLineEmpty ? endEvent() : nil }
        if isAtStart {
            isAtStart = false
            if line.starts(with: Self.byteOrderMark) { line.removeFirst(Self.byteOrderMark.count) }
        }
        guard !line.isEmpty else { return endEvent() }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        take(field: String(decoding: line[..<colon], as: UTF8.self), value: value)
        // A comment does not count towards the event's length, so that keep-alives cannot exceed the limit.
        if colon == line.startIndex { length -= line.count }
        return nil
    }

    private mutating func take(field: String, value: ArraySlice<UInt8>) {
        switch field {
        case "data":
            if data != nil { data?.append(UInt8(ascii: "\n")) }
            data = (data ?? []) + value
        case "event": event = String(decoding: value, as: UTF8.self)
        case "id" where !value.contains(0): id = String(decoding: value, as: UTF8.self)
        case "retry": retry = Int(digits: String(decoding: value, as: UTF8.self), in: 0...3_600_000) ?? retry
        default: break
        }
    }

    private mutating func endEvent() -> ServerSentEvent? {
        defer { (id, event, data, length, isTooLong) = (nil, "", nil, 0, false) }
        if let id { lastEventID = id }
        guard let data else { return nil }
        return ServerSentEvent(
            id: id, event: event.isEmpty ? "message" : event, data: String(decoding: data, as: UTF8.self)
        )
    }
}

extension EngineEvent {
    /// This event as a server-sent event: its kind is the type, its JSON the data. Progress is never stored, so it has
    /// no id to resume from.
    public func serverSentEvent() throws -> ServerSentEvent {
        ServerSentEvent(
            id: kind == .jobProgress ? nil : String(id), event: kind.rawValue,
            data: String(decoding: try APIJSON.encode(self), as: UTF8.self)
        )
    }

    /// Reads an event of the stream; nil for a kind that this version does not know.
    public init?(_ event: ServerSentEvent) throws {
        guard Kind(rawValue: event.event) != nil else { return nil }
        self = try APIJSON.decode(EngineEvent.self, from: Array(event.data.utf8))
    }
}
