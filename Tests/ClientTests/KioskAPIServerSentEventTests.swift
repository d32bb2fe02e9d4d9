import KioskAPI
import KioskPrintModel
import Testing

@Suite struct ServerSentEventParserTests {
    private func parse(_ text: String, piece: Int = .max, limit: Int = 1 << 20) -> [ServerSentEvent] {
        var parser = ServerSentEventParser(limit: limit)
        var rest = Array(text.utf8)[...]
        var events: [ServerSentEvent] = []
        while !rest.isEmpty {
            events += parser.parse(rest.prefix(piece))
            rest = rest.dropFirst(piece)
        }
        return events
    }

    private static let stream = """
        : welcome

        id: 7
        event: job-created
        data: {"a":
        data:  1}

        data: bare
        unknown: field
        retry: 250

        event: without-data

        id: 8
        data

        data: unfinished

        """

    private static let events = [
        ServerSentEvent(id: "7", event: "job-created", data: "{\"a\":\n 1}"), ServerSentEvent(data: "bare"),
        ServerSentEvent(id: "8", data: ""), ServerSentEvent(data: "unfinished"),
    ]

    @Test(arguments: [1, 2, 3, 7, 64, .max], ["\n", "\r", "\r\n"])
    func `reads a stream in pieces of any size, with any line end`(_ piece: Int, _ lineEnd: String) {
        let text = Self.stream.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: lineEnd)
        #expect(parse(text + lineEnd, piece: piece) == Self.events)
    }

    @Test func `keeps an event that its stream cut off to itself`() {
        #expect(parse("id: 9\ndata: half").isEmpty)
        #expect(parse("id: 9\ndata: half\n").isEmpty)
    }

    @Test func `drops a byte order mark only at the start`() {
        #expect(parse("\u{FEFF}data: a\n\n") == [ServerSentEvent(data: "a")])
        #expect(parse("data: a\n\n\u{FEFF}data: b\n\n") == [ServerSentEvent(data: "a")])
    }

    @Test func `remembers the last id, also of an event without data, and ignores one with a zero`() {
        var parser = ServerSentEventParser(lastEventID: "3")
        #expect(parser.lastEventID == "3")
        _ = parser.parse(Array("data: x\n\n".utf8))
        #expect(parser.lastEventID == "3")
        _ = parser.parse(Array("id: 4\n\n".utf8))
        #expect(parser.lastEventID == "4")
        _ = parser.parse(Array("id: 5\0\ndata: x\n\n".utf8))
        #expect(parser.lastEventID == "4")
        _ = parser.parse(Array("id: 6\ndata: unfinished".utf8))
        #expect(parser.lastEventID == "4")
    }

    @Test func `reads the delay to reconnect, and nothing that is not a number`() {
        var parser = ServerSentEventParser()
        _ = parser.parse(Array("retry: 250\n\nretry: soon\n\nretry: 99999999999999999999\n\n".utf8))
        #expect(parser.retry == 250)
    }

    @Test(arguments: ["data: ", "", "nonsense", ":"], [1, .max])
    func `passes over an endless line, and goes on behind it`(_ start: String, _ piece: Int) {
        let long = "id: 5\n" + start + String(repeating: "x", count: 200)
        #expect(parse(long, piece: piece, limit: 100).isEmpty)
        let next = [ServerSentEvent(id: "6", data: "short")]
        #expect(parse(long + "\ndata: more\n\nid: 6\ndata: short\n\n", piece: piece, limit: 100) == next)
        #expect(parse(long + "\r\n\r\nid: 6\r\ndata: short\r\n\r\n", piece: piece, limit: 100) == next)
    }

    @Test func `passes over an endless event of short lines, and keeps its id to resume from`() {
        var parser = ServerSentEventParser(limit: 100, lastEventID: "4")
        #expect(parser.parse(Array(("id: 5\n" + String(repeating: "data: x\n", count: 100)).utf8)).isEmpty)
        #expect(parser.lastEventID == "4")
        #expect(parser.parse(Array("\n".utf8)).isEmpty)
        #expect(parser.lastEventID == "5")
        #expect(parser.skipped == 1)
    }

    @Test func `signs of life fill no bound`() {
        let life = String(decoding: ServerSentEvent.keepAlive, as: UTF8.self)
        #expect(parse(String(repeating: life, count: 1000), limit: 100).isEmpty)
        #expect(parse(String(repeating: ": x\n", count: 1000), limit: 100).isEmpty)
    }

    @Test func `survives any bytes`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var parser = ServerSentEventParser(limit: 1 << 16)
            let bytes = (0..<512).map { _ in
                [0, 10, 13, 32, 58, 100, 105, 0xEF, 0xBB, 0xBF, 0xFF].randomElement(using: &generator) ?? 0
            }
            _ = parser.parse(bytes.map { UInt8($0) })
        }
    }

    @Test func `what is written is read again, whatever lines stand in it`() {
        let event = ServerSentEvent(id: "1", event: "job-changed", data: "one\ntwo\n\nfour")
        var parser = ServerSentEventParser()
        #expect(parser.parse(event.encoded) == [event])
        let sly = ServerSentEvent(id: "1\ndata: smuggled", event: "a\r\nid: 9", data: "x\r\nid: 9")
        let read = parser.parse(sly.encoded)
        #expect(read == [ServerSentEvent(id: "1data: smuggled", event: "aid: 9", data: "x\nid: 9")])
    }

    @Test func `an engine's event survives the stream, and progress has no id to resume from`() throws {
        let event = EngineEvent(
            id: 12, time: Timestamp(millisecondsSince1970: 0), kind: .registryRefused, message: "line 3")
        let sent = try event.serverSentEvent()
        #expect(sent.id == "12")
        #expect(sent.event == "registry-refused")
        #expect(try EngineEvent(sent) == event)
        var progress = event
        progress.kind = .jobProgress
        #expect(try progress.serverSentEvent().id == nil)
        #expect(try EngineEvent(ServerSentEvent(event: "from-the-future", data: "{}")) == nil)
    }
}
