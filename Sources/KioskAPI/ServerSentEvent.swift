/// One event of a `text/event-stream` (WHATWG HTML §9.2).
public struct ServerSentEvent: Hashable, Sendable {
    /// What a client sends back as `Last-Event-ID`; nil leaves the last one in force.
    public var id: String?
    /// The event's type; `message` where the stream does not say.
    public var event: String
    /// Lines are joined by line feeds.
    public var data: String

    public init(id: String? = nil, event: String = "message", data: String) {
        self.id = id
        self.event = event
        self.data = data
    }

    /// The event as it goes over the wire, with the empty line that ends it.
    public var encoded: [UInt8] {
        var text = ""
        if let id { text += "id: \(Self.oneLine(id))\n" }
        if event != "message" { text += "event: \(Self.oneLine(event))\n" }
        for line in data.split(omittingEmptySubsequences: false, whereSeparator: \.isLineBreak) {
            text += "data: \(line)\n"
        }
        return Array((text + "\n").utf8)
    }

    /// A comment that keeps proxies and deadlines from ending an idle stream.
    public static let keepAlive: [UInt8] = Array(": still here\n\n".utf8)

    private static func oneLine(_ text: String) -> String {
        String(text.filter { !$0.isLineBreak && $0 != "\0" })
    }
}

extension Character {
    fileprivate var isLineBreak: Bool { self == "\n" || self == "\r" || self == "\r\n" }
}
