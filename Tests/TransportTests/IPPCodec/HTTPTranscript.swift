/// The messages of one direction of a recorded HTTP/1.1 connection, their bodies without framing.
struct HTTPTranscript {
    struct Message {
        var startLine: String
        /// Names in lower case.
        var headers: [String: String]
        var body: [UInt8]
        var isChunked: Bool { headers["transfer-encoding"]?.lowercased() == "chunked" }
    }

    struct Malformed: Error {
        var offset: Int
        var what: String
    }

    private let bytes: [UInt8]
    private var index = 0
    private(set) var messages: [Message] = []

    init(_ bytes: [UInt8]) throws {
        self.bytes = bytes
        while index < bytes.count {
            let startLine = try line()
            var headers: [String: String] = [:]
            while case let header = try line(), !header.isEmpty {
                let parts = header.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2 else { throw Malformed(offset: index, what: header) }
                headers[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
            }
            messages.append(Message(startLine: startLine, headers: headers, body: try body(headers)))
        }
        // 100 Continue and its like say nothing of a request's outcome.
        messages.removeAll { $0.startLine.hasPrefix("HTTP/1.1 1") }
    }

    private mutating func line() throws -> String {
        guard let end = bytes[index...].firstIndex(of: UInt8(ascii: "\n")) else {
            throw Malformed(offset: index, what: "a line does not end")
        }
        defer { index = end + 1 }
        let line = bytes[index..<end]
        return String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
    }

    private mutating func body(_ headers: [String: String]) throws -> [UInt8] {
        if headers["transfer-encoding"]?.lowercased() == "chunked" { return try chunks() }
        return try take(Int(headers["content-length"] ?? "0") ?? 0)
    }

    private mutating func chunks() throws -> [UInt8] {
        var body: [UInt8] = []
        while true {
            guard let size = Int(try line(), radix: 16) else { throw Malformed(offset: index, what: "no chunk size") }
            body += try take(size)
            guard try line().isEmpty else { throw Malformed(offset: index, what: "a chunk does not end") }
            if size == 0 { return body }
        }
    }

    private mutating func take(_ count: Int) throws -> [UInt8] {
        guard bytes.count - index >= count else { throw Malformed(offset: index, what: "\(count) octets are missing") }
        defer { index += count }
        return Array(bytes[index..<index + count])
    }
}
