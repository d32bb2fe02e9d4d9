/// Reads one HTTP/1.1 response as it arrives, in pieces of any size (RFC 9112). No I/O.
struct HTTPResponseParser {
    enum Event: Equatable {
        case head(HTTPResponseHead)
        /// A piece of the body, without its framing.
        case body([UInt8])
        case end
    }

    /// Bytes of the longest head, and of the longest line of a chunked body.
    private static let maximumHead = 64 << 10
    private static let maximumLine = 8 << 10

    private var buffer: [UInt8] = []
    /// Where in `buffer` the unread bytes begin.
    private var start = 0
    private var state = State.head

    private enum State {
        case head
        case counted(Int)
        case untilClose
        case chunkSize
        case chunk(Int)
        case chunkEnd
        case trailers
        case ended
    }

    /// Whether bytes are left that belong to no response.
    var hasUnreadBytes: Bool { start < buffer.count }

    /// Takes the next bytes of the connection.
    mutating func receive(_ bytes: UnsafeRawBufferPointer) {
        if start == buffer.count {
            buffer.removeAll(keepingCapacity: true)
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// What the bytes say next; nil when more are needed. An interim response (RFC 9110 §15.2) is skipped.
    mutating func next() throws(HTTPResponseError) -> Event? {
        while true {
            switch state {
            case .head:
                guard let head = try readHead() else { return nil }
                if (100..<200).contains(head.status), head.status != 101 { continue }
                state = try Self.bodyState(of: head)
                return .head(head)
            case .counted(0), .ended:
                state = .ended
                return .end
            case .counted(let missing):
                guard let piece = take(atMost: missing) else { return nil }
                state = .counted(missing - piece.count)
                return .body(piece)
            case .untilClose:
                return take(atMost: .max).map(Event.body)
            case .chunkSize:
                guard let line = try readLine() else { return nil }
                let size = try Self.chunkSize(line)
                state = size == 0 ? .trailers : .chunk(size)
            case .chunk(let missing):
                guard let piece = take(atMost: missing) else { return nil }
                state = piece.count == missing ? .chunkEnd : .chunk(missing - piece.count)
                return .body(piece)
            case .chunkEnd:
                guard let line = try readLine() else { return nil }
                guard line.isEmpty else { throw HTTPResponseError("a chunk is longer than it says") }
                state = .chunkSize
            case .trailers:
                guard let line = try readLine() else { return nil }
                if line.isEmpty { state = .ended }
            }
        }
    }

    /// Whether the connection's end is also the end of the response.
    var mayEndHere: Bool {
        switch state {
        case .untilClose, .ended, .counted(0): true
        default: false
        }
    }

    private mutating func take(atMost count: Int) -> [UInt8]? {
        guard hasUnreadBytes else { return nil }
        let end = start + min(count, buffer.count - start)
        defer { start = end }
        return Array(buffer[start..<end])
    }
}

// MARK: - The head

extension HTTPResponseParser {
    private static let protocolName = Array("HTTP/1.".utf8)

    private mutating func readHead() throws(HTTPResponseError) -> HTTPResponseHead? {
        // Another protocol's greeting may have no empty line to wait for.
        guard buffer[start...].starts(with: Self.protocolName.prefix(buffer.count - start)) else {
            throw HTTPResponseError("it does not begin with HTTP/1.")
        }
        guard let end = endOfHead() else {
            guard buffer.count - start <= Self.maximumHead else { throw HTTPResponseError("its head is too long") }
            return nil
        }
        defer { start = end }
        return try HTTPResponseHead(buffer[start..<end - 4])
    }

    /// Where the head's empty line ends.
    private func endOfHead() -> Int? {
        var index = start
        while let lineFeed = buffer[index...].firstIndex(of: UInt8(ascii: "\n")) {
            if lineFeed >= start + 3, buffer[lineFeed - 3...lineFeed].elementsEqual([13, 10, 13, 10]) {
                return lineFeed + 1
            }
            index = lineFeed + 1
        }
        return nil
    }

    /// How the body is framed (RFC 9112 §6.3).
    private static func bodyState(of head: HTTPResponseHead) throws(HTTPResponseError) -> State {
        if head.status == 204 || head.status == 304 { return .ended }
        if let coding = head["transfer-encoding"] {
            guard coding.lowercased() == "chunked" else { throw HTTPResponseError("its body is coded as \(coding)") }
            return .chunkSize
        }
        guard let text = head["content-length"] else { return .untilClose }
        guard let length = Int(text), length >= 0, text.utf8.allSatisfy(isDigit) else {
            throw HTTPResponseError("its length is \(text)")
        }
        return .counted(length)
    }
}

// MARK: - Lines of a chunked body

extension HTTPResponseParser {
    /// The next line without its end; nil when it is not complete.
    private mutating func readLine() throws(HTTPResponseError) -> ArraySlice<UInt8>? {
        guard let lineFeed = buffer[start...].firstIndex(of: UInt8(ascii: "\n")) else {
            guard buffer.count - start <= Self.maximumLine else {
                throw HTTPResponseError("a line of its body is too long")
            }
            return nil
        }
        let line = buffer[start..<lineFeed]
        guard line.last == UInt8(ascii: "\r") else { throw HTTPResponseError("a line of its body has no end") }
        start = lineFeed + 1
        return line.dropLast()
    }

    /// The size of a chunk; what follows a semicolon is an extension (RFC 9112 §7.1.1).
    private static func chunkSize(_ line: ArraySlice<UInt8>) throws(HTTPResponseError) -> Int {
        let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
        let text = String(decoding: digits, as: UTF8.self)
        // Sixteen digits would be the sign.
        guard (1..<16).contains(digits.count), digits.first != UInt8(ascii: "+"), digits.first != UInt8(ascii: "-"),
            let size = Int(text, radix: 16)
        else { throw HTTPResponseError("a chunk has no size") }
        return size
    }
}

private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

/// The status line and the header fields of a response.
struct HTTPResponseHead: Equatable {
    let status: Int
    /// Whether the connection can take another request, as far as the head says.
    let keepsAlive: Bool
    /// The fields; their names are in lower case.
    private let fields: [String: String]

    /// The value of a field, by its name in lower case. Those of several fields are joined by commas (RFC 9110 §5.3).
    subscript(name: String) -> String? { fields[name] }

    /// Reads a head without its empty line.
    fileprivate init(_ bytes: ArraySlice<UInt8>) throws(HTTPResponseError) {
        let lines = String(decoding: bytes, as: UTF8.self).split(
            separator: "\r\n" as Character, omittingEmptySubsequences: false)
        // "HTTP/1.1 200 OK": RFC 9112 §4; the phrase may be missing, also with its space.
        let words = lines[0].split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard ["HTTP/1.1", "HTTP/1.0"].contains(words[0]), words.count > 1, words[1].utf8.count == 3,
            words[1].utf8.allSatisfy(isDigit), let status = Int(words[1]), status >= 100
        else { throw HTTPResponseError("its first line is no status line") }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else {
                throw HTTPResponseError("a header field has no name")
            }
            let name = line[..<colon].lowercased()
            let value = Self.trimmed(line[line.index(after: colon)...])
            fields[name] = fields[name].map { "\($0), \(value)" } ?? value
        }
        self.status = status
        self.fields = fields
        let options = (fields["connection"] ?? "").lowercased()
        keepsAlive = words[0] == "HTTP/1.1" ? !options.contains("close") : options.contains("keep-alive")
    }

    private static func trimmed(_ text: Substring) -> String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        var text = text.drop(while: isBlank)
        while let last = text.last, isBlank(last) { text.removeLast() }
        return String(text)
    }
}

/// Why bytes are not an HTTP response.
struct HTTPResponseError: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
