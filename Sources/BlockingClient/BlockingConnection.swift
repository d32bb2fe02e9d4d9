import Glibc
import KioskAPIMessages

/// One HTTP/1.1 connection to the daemon, for one request at a time. Its owner closes it by letting go of it.
final class BlockingConnection {
    private let stream: any ByteStream
    private let address: DaemonAddress
    private var parser = HTTPResponseParser()
    private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    /// The longest time without progress: in sending, until the response begins, and between the pieces of its body.
    private var timeout = Duration.zero
    private var deadline = ContinuousClock.now
    /// Whether the daemon has closed the connection.
    private var isClosed = false

    /// Bytes of the longest response that is collected.
    private static let maximumResponseLength = 16 << 20

    init(_ address: DaemonAddress, connectTimeout: Duration) throws {
        self.address = address
        switch address {
        case .socket(let socket): stream = try SocketStream.connect(socket, timeout: connectTimeout)
        case .host(let host):
            let deadline = ContinuousClock.now + connectTimeout
            stream =
                try host.usesTLS
                ? TLSStream.connect(host, until: deadline) : SocketStream.connect(host, until: deadline)
        }
    }

    deinit { input.deallocate() }

    /// Whether the daemon has kept the connection open, and sent nothing that belongs to no request.
    var isUsable: Bool { !parser.hasUnreadBytes && !stream.hasArrived }

    private func extendDeadline() { deadline = .now + timeout }

    /// Sends a request, and returns its whole response and whether the connection can take another request. `progress`
    /// is called with the number of bytes of a streamed document that have been sent.
    func exchange(
        _ request: BlockingRequest, timeout: Duration, progress: (Int64) -> Void
    ) throws -> (response: APIResponse, keepsAlive: Bool) {
        let (head, isSent) = try begin(request, timeout: timeout, progress: progress)
        let response = APIResponse(status: head.status, contentType: head["content-type"], body: try collect())
        return (response, isSent && head.keepsAlive && !isClosed)
    }

    /// Sends a request, and returns the head of its response and whether all of the request was sent.
    func begin(
        _ request: BlockingRequest, timeout: Duration, progress: (Int64) -> Void
    ) throws -> (HTTPResponseHead, isSent: Bool) {
        parser = HTTPResponseParser()
        self.timeout = timeout
        extendDeadline()
        let isSent: Bool
        switch request.body {
        case .none: isSent = try send(request.head(for: address))
        // One system call for a receipt.
        case .bytes(let bytes): isSent = try send(request.head(for: address) + bytes)
        case .document(let document):
            isSent = try send(request.head(for: address)) && send(document, progress: progress)
        }
        guard case .head(let head) = try nextEvent() else { throw KioskClientError.lost(address) }
        return (head, isSent)
    }

    /// The rest of a response's body.
    func collect() throws -> [UInt8] {
        var body: [UInt8] = []
        while let piece = try nextPiece() {
            guard body.count + piece.count <= Self.maximumResponseLength else {
                throw KioskClientError.tooLarge(Self.maximumResponseLength, address)
            }
            body += piece
        }
        return body
    }

    /// The next piece of a response's body; nil at its end.
    func nextPiece() throws -> [UInt8]? {
        guard case .body(let piece) = try nextEvent() else { return nil }
        return piece
    }
}

// MARK: - Sending

extension BlockingConnection {
    /// Sends all of the bytes; false where the daemon responds before it has read them, or has closed: its response says
    /// more than a broken pipe.
    private func send(_ bytes: [UInt8]) throws -> Bool {
        try bytes.withUnsafeBytes { try send($0) }
    }

    private func send(_ bytes: UnsafeRawBufferPointer) throws -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            switch stream.send(rest) {
            case .bytes(let count):
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
                extendDeadline()
            case .none:
                guard try wait(for: POLLIN | POLLOUT) & Int16(POLLIN) == 0 || !stream.hasArrived else { return false }
            case .closed, .broken:
                return false
            }
        }
        return true
    }

    /// Sends a document piece by piece. The next piece is read when the one before has been written; no more are wanted
    /// once the response has begun. Where reading fails, the document is incomplete: the daemon drops it, since the
    /// connection closes.
    private func send(_ document: DocumentDescriptor, progress: (Int64) -> Void) throws -> Bool {
        let isChunked = document.length == nil
        var sent: Int64 = 0
        var piece = [UInt8](repeating: 0, count: DocumentDescriptor.pieceLength)
        while true {
            let wanted = document.pieceLength(at: sent)
            guard wanted > 0 else { return true }
            if isChunked {
                guard try waitForInput(document) else { return false }
            } else if stream.hasArrived {
                return false
            }
            let read = try piece.withUnsafeMutableBytes { space in
                try document.read(
                    into: UnsafeMutableRawBufferPointer(rebasing: space.prefix(wanted)), at: sent, address)
            }
            guard let count = read else { continue }
            extendDeadline()
            // RFC 9112 §7.1: the last chunk is an empty one.
            if count == 0 { return try send(Array("0\r\n\r\n".utf8)) }
            let isSent =
                try isChunked
                ? send(Array("\(String(count, radix: 16))\r\n".utf8) + piece[..<count] + [13, 10])
                : piece.withUnsafeBytes { try send(UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }
            guard isSent else { return false }
            sent += Int64(count)
            progress(sent)
        }
    }

    /// Waits until the document has bytes or its end; false when the daemon responds before. Whoever writes the pipe may
    /// be silent for as long as the daemon waits.
    private func waitForInput(_ document: DocumentDescriptor) throws -> Bool {
        var states = [
            pollfd(fd: document.number, events: Int16(POLLIN), revents: 0),
            pollfd(fd: stream.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        guard try Interruption.wait(for: &states, until: deadline) else { throw KioskClientError.timedOut(address) }
        return states[1].revents == 0 || !stream.hasArrived
    }
}

// MARK: - Receiving

extension BlockingConnection {
    private func nextEvent() throws -> HTTPResponseParser.Event {
        while true {
            do {
                if let event = try parser.next() { return event }
            } catch {
                throw KioskClientError.violation("its response is not HTTP (\(error))", address)
            }
            switch stream.receive(into: input) {
            case .bytes(let count):
                extendDeadline()
                parser.receive(UnsafeRawBufferPointer(rebasing: input[..<count]))
            case .none:
                _ = try wait(for: POLLIN)
            case .closed:
                isClosed = true
                guard parser.mayEndHere else { throw KioskClientError.lost(address) }
                return .end
            case .broken:
                throw KioskClientError.lost(address)
            }
        }
    }

    /// Waits for the socket until the deadline. Returns what it is ready for.
    private func wait(for events: Int32) throws -> Int16 {
        var states = [pollfd(fd: stream.descriptor, events: Int16(events), revents: 0)]
        guard try Interruption.wait(for: &states, until: deadline) else { throw KioskClientError.timedOut(address) }
        return states[0].revents
    }
}

/// A request as it is sent.
struct BlockingRequest {
    var method: APIMethod
    var path: String
    var headers: [(name: String, value: String)]
    var body: APIBody

    /// The request line and the header fields, with the empty line.
    func head(for address: DaemonAddress) -> [UInt8] {
        var text = "\(method.rawValue) \(path) HTTP/1.1\r\nHost: \(address.hostField)\r\n"
        for field in address.requestHeaders + headers { text += "\(field.name): \(field.value)\r\n" }
        switch body {
        // RFC 9110 §8.6: a method that has a body says that there is none.
        case .none: if method == .post || method == .put { text += "Content-Length: 0\r\n" }
        case .bytes(let bytes): text += "Content-Length: \(bytes.count)\r\n"
        case .document(let document):
            text += document.length.map { "Content-Length: \($0)\r\n" } ?? "Transfer-Encoding: chunked\r\n"
        }
        return Array((text + "\r\n").utf8)
    }
}
