import Testing

@testable import KioskBlockingClient

/// The responses that kioskctl's client reads, in pieces of any size.
@Suite struct HTTPResponseParserTests {
    /// What a response says, however it arrives.
    private struct Reading: Equatable {
        var status: Int?
        var contentType: String?
        var keepsAlive: Bool?
        var body = ""
        var isComplete = false
        var error: String?
    }

    /// Reads a response that arrives in pieces of `size` bytes, and then the connection's end.
    private func read(_ text: String, in size: Int) -> Reading {
        var parser = HTTPResponseParser()
        var reading = Reading()
        var rest = Array(text.utf8)[...]
        do {
            while true {
                switch try parser.next() {
                case .head(let head):
                    (reading.status, reading.keepsAlive) = (head.status, head.keepsAlive)
                    reading.contentType = head["content-type"]
                case .body(let piece):
                    reading.body += String(decoding: piece, as: UTF8.self)
                case .end:
                    reading.isComplete = true
                    return reading
                case nil where rest.isEmpty:
                    reading.isComplete = parser.mayEndHere
                    return reading
                case nil:
                    let piece = Array(rest.prefix(size))
                    rest = rest.dropFirst(size)
                    piece.withUnsafeBytes { parser.receive($0) }
                }
            }
        } catch {
            reading.error = error.description
            return reading
        }
    }

    private static let complete: [(text: String, reading: Reading)] = [
        (
            "HTTP/1.1 200 OK\r\nContent-Type:\tapplication/json \r\nContent-Length: 5\r\n\r\nhello",
            Reading(status: 200, contentType: "application/json", keepsAlive: true, body: "hello", isComplete: true)
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n5\r\nhello\r\n7;name=value\r\n, world\r\n0\r\nX: y\r\n\r\n",
            Reading(status: 200, keepsAlive: true, body: "hello, world", isComplete: true)
        ),
        (
            "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
            Reading(status: 204, keepsAlive: true, isComplete: true)
        ),
        (
            "HTTP/1.1 200 OK\r\nConnection: Close\r\n\r\nto the end",
            Reading(status: 200, keepsAlive: false, body: "to the end", isComplete: true)
        ),
        ("HTTP/1.0 200\r\nContent-Length: 0\r\n\r\n", Reading(status: 200, keepsAlive: false, isComplete: true)),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", Reading(status: 200, keepsAlive: true, isComplete: true)),
    ]

    @Test(arguments: complete.indices, [1, 2, 3, 7, 1 << 20])
    func `reads a whole response in pieces of any size`(_ index: Int, _ size: Int) {
        #expect(read(Self.complete[index].text, in: size) == Self.complete[index].reading)
    }

    @Test(arguments: complete.indices) func `a response that breaks off is not complete`(_ index: Int) {
        let (text, whole) = Self.complete[index]
        for count in 0..<text.utf8.count {
            let reading = read(String(text.utf8.prefix(count)) ?? "", in: 1 << 20)
            #expect(reading.error == nil)
            // The end of one that ends with its connection cannot be told from a break.
            if whole.keepsAlive == true { #expect(!reading.isComplete, "after \(count) bytes") }
        }
    }

    @Test(arguments: [
        ("SSH-2.0-OpenSSH_9.2p1\r\n", "it does not begin with HTTP/1."),
        ("HTTP/2 200\r\n\r\n", "it does not begin with HTTP/1."),
        ("HTTP/1.1 20 OK\r\n\r\n", "its first line is no status line"),
        ("HTTP/1.12 200 OK\r\n\r\n", "its first line is no status line"),
        ("HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "a header field has no name"),
        ("HTTP/1.1 200 OK\r\n: x\r\n\r\n", "a header field has no name"),
        ("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "its length is -1"),
        ("HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\n", "its length is +1"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "its length is 1, 2"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", "its body is coded as gzip, chunked"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\n", "a chunk has no size"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", "a chunk has no size"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n", "a chunk has no size"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabcd\r\n", "a chunk is longer than it says"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\n", "a line of its body has no end"),
    ]) func `says what is wrong`(_ text: String, _ error: String) {
        for size in [1, 1 << 20] { #expect(read(text, in: size).error == error) }
    }

    @Test func `a head or a line without end is refused at its bound`() {
        let field = "X-Field: \(String(repeating: "x", count: 1000))\r\n"
        let head = "HTTP/1.1 200 OK\r\n" + String(repeating: field, count: 70)
        #expect(read(head, in: 4096).error == "its head is too long")
        let line = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;\(String(repeating: "x", count: 10_000))"
        #expect(read(line, in: 4096).error == "a line of its body is too long")
    }

    @Test func `bytes behind a response are seen`() {
        var parser = HTTPResponseParser()
        Array("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab".utf8).withUnsafeBytes { parser.receive($0) }
        #expect(throws: Never.self) { while try parser.next() != .end {} }
        #expect(parser.hasUnreadBytes)
    }
}
