/// Reads a `text/event-stream` as it arrives, in pieces of any size (WHATWG HTML §9.2.6). No I/O.
public struct ServerSentEventParser: Sendable {
    /// Bytes of one event, its line ends left out, beyond which it is passed over.
    public static let maximumEventLength = 1 << 20

    /// The id to resume from: that of the last whole event which had one, passed over or not.
    public private(set) var lastEventID: String?
    /// The delay before reconnecting that the server asked for, in milliseconds.
    public private(set) var retry: Int?

    /// How many events were longer than the bound, and so passed over.
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
    /// Inside an event beyond the bound: nothing of it is kept but its id, until the empty line that ends it.
    private var isTooLong = false
    private var isLineEmpty = true

    public init(limit: Int = maximumEventLength, lastEventID: String? = nil) {
        self.limit = limit
        self.lastEventID = lastEventID
    }

    /// The events that `bytes` complete.
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
        // A comment adds nothing to the event, so that an idle stream's sign of life does not fill the bound.
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
