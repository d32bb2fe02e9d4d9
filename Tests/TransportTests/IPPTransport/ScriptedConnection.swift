import Foundation
import KioskIPPCodec
import KioskTestSupport
import Synchronization
import Testing

/// One connection of a `ScriptedPrinter`. Its calls block.
final class ScriptedConnection: Sendable {
    struct Request {
        var head: String
        var message: IPPMessage
        var contentLength: Int
        /// The length of the document, by Content-Length.
        var documentLength: Int
        /// The part of the document that was read with the message.
        var document: [UInt8]

        /// A header field's value.
        func field(_ name: String) -> String? {
            for line in head.components(separatedBy: "\r\n") where line.lowercased().hasPrefix("\(name):") {
                return line.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces)
            }
            return nil
        }
    }

    private let descriptor: Int32
    private let buffer = Mutex<[UInt8]>([])
    private let isEnded = Mutex(false)

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Reads a request up to the end of its IPP attributes; most of the document stays in the socket.
    func readMessage() throws -> Request {
        let head = try readHead()
        let length = head.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst("content-length:".count).filter { $0 != " " }) }
        guard let length else { throw TestSupportError("no Content-Length in \(head)") }
        var decoder = IPPDecoder()
        var taken = 0
        while true {
            let chunk = try take(upTo: length - taken)
            if case .complete(let message, let index) = try decoder.feed(chunk) {
                let document = Array(chunk[index...])
                return Request(
                    head: head, message: message, contentLength: length,
                    documentLength: length - taken - index, document: document
                )
            }
            taken += chunk.count
        }
    }

    /// Reads a request with its whole document.
    func readRequest() throws -> Request {
        var request = try readMessage()
        request.document += try read(request.documentLength - request.document.count)
        return request
    }

    /// Reads exactly `count` bytes.
    @discardableResult
    func read(_ count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count { bytes += try take(upTo: count - bytes.count) }
        return bytes
    }

    func readHead() throws -> String {
        var bytes: [UInt8] = []
        while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) { bytes += try take(upTo: 1) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func take(upTo count: Int) throws -> [UInt8] {
        guard count > 0 else { return [] }
        return try buffer.withLock { buffer in
            if buffer.isEmpty {
                var space = [UInt8](repeating: 0, count: 4096)
                let got = recv(descriptor, &space, space.count, 0)
                guard got > 0 else { throw TestSupportError("the client is gone") }
                buffer = Array(space[..<got])
            }
            defer { buffer.removeFirst(min(count, buffer.count)) }
            return Array(buffer.prefix(count))
        }
    }

    func send(_ bytes: some Collection<UInt8>) throws {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard sent > 0 else { throw TestSupportError("the client is gone") }
            rest = rest.dropFirst(sent)
        }
    }

    func send(_ text: String) throws { try send(text.utf8) }

    /// Sends a text again and again until the client closes, which throws; records an issue where the client takes
    /// `limit` bytes.
    func sendEndlessly(_ text: String, atMost limit: Int = 64 << 20) throws {
        let bytes = Array(text.utf8)
        for _ in 0..<(limit / bytes.count) { try send(bytes) }
        Issue.record("the client took \(limit) bytes of an endless response")
    }

    /// Waits; throws where the client sends or closes before.
    func pause(milliseconds: Int32) throws {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard Glibc.poll(&poll, 1, milliseconds) == 0 else { throw TestSupportError("the client is gone") }
    }

    /// Sends an HTTP response with a message as its body.
    func reply(_ message: IPPMessage, fields: String = "", version: String = "1.1") throws {
        try send(Self.response(message, fields: fields, version: version))
    }

    static func response(_ message: IPPMessage, fields: String = "", version: String = "1.1") throws -> [UInt8] {
        let body = try IPPEncoder.encode(message)
        let head =
            "HTTP/\(version) 200 OK\r\nContent-Type: application/ipp\r\nContent-Length: \(body.count)\r\n\(fields)\r\n"
        return Array(head.utf8) + body
    }

    /// Sends FIN; the client's bytes are acknowledged still.
    func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Ends the connection after the last byte that was sent: a close with bytes unread would reset it, and the reset
    /// would take away what the client has not read yet.
    func finishAndDrain() {
        guard !isEnded.withLock(\.self) else { return }
        finish()
        waitForClose()
    }

    /// Waits until the client closes.
    func waitForClose() {
        while (try? take(upTo: 4096)) != nil {}
    }

    /// Closes with RST.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        end()
    }

    /// Wakes a blocked read, unless the descriptor is closed: its number may belong to another socket by then.
    func hangUp() {
        isEnded.withLock { isEnded in
            if !isEnded { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    func end() {
        isEnded.withLock { isEnded in
            if !isEnded { close(descriptor) }
            isEnded = true
        }
    }
}

// What printers send.
extension ScriptedConnection {
    static func ok(_ groups: IPPGroup...) -> IPPMessage {
        IPPMessage(status: .successfulOk, requestID: 1, groups: [operationGroup] + groups)
    }

    static func status(_ status: IPPStatus, _ groups: IPPGroup...) -> IPPMessage {
        IPPMessage(status: status, requestID: 1, groups: [operationGroup] + groups)
    }

    private static let operationGroup = IPPGroup(
        .operation,
        [
            IPPAttribute("attributes-charset", .charset("utf-8")),
            IPPAttribute("attributes-natural-language", .naturalLanguage("en")),
        ])

    static func printer(_ more: IPPAttribute...) -> IPPGroup {
        let operations: [IPPOperation] = [
            .printJob, .validateJob, .createJob, .sendDocument, .cancelJob, .getJobAttributes, .getJobs,
            .getPrinterAttributes,
        ]
        var group = IPPGroup(
            .printer,
            [
                IPPAttribute("printer-name", .name("Scripted")), IPPAttribute("printer-state", .enum(3)),
                IPPAttribute("printer-state-reasons", keyword: "none"),
                IPPAttribute("printer-is-accepting-jobs", .boolean(true)),
                IPPAttribute("operations-supported", .enums(operations.map { Int32($0.rawValue) })),
                IPPAttribute(
                    "document-format-supported", .mimeMediaTypes(["application/vnd.escpos", "application/pdf"])),
            ])
        for attribute in more { group[attribute.name] = attribute }
        return group
    }

    static func job(_ id: Int32, state: Int32, reasons: [String] = ["none"]) -> IPPGroup {
        IPPGroup(
            .job,
            [
                IPPAttribute("job-id", .integer(id)), IPPAttribute("job-state", .enum(state)),
                IPPAttribute("job-state-reasons", keywords: reasons),
            ])
    }

    /// Responds to the Get-Printer-Attributes that every transport sends before its first delivery.
    func introduce(_ more: IPPAttribute..., fields: String = "") throws {
        let request = try readRequest()
        guard request.message.operation == .getPrinterAttributes else {
            throw TestSupportError("expected Get-Printer-Attributes, got \(request.message.operation)")
        }
        var group = Self.printer()
        for attribute in more { group[attribute.name] = attribute }
        try reply(Self.ok(group), fields: fields)
    }

    /// Sends a 401 response with a body that the client has to drain.
    func demand(_ challenges: String..., fields: String = "") throws {
        let lines = challenges.map { "WWW-Authenticate: \($0)\r\n" }.joined()
        try send(
            "HTTP/1.1 401 Unauthorized\r\n\(lines)\(fields)Content-Type: text/html\r\n"
                + "Content-Length: 13\r\n\r\n<html></html>"
        )
    }

    /// Responds to any request with success.
    func respond(to request: Request, fields: String = "") throws {
        let group = request.message.operation == .getPrinterAttributes ? Self.printer() : Self.job(7, state: 9)
        try reply(Self.ok(group), fields: fields)
    }

    /// Responds to requests with success until the client closes.
    func serve(closing: Bool = false) throws {
        while true {
            try respond(to: readRequest(), fields: closing ? "Connection: close\r\n" : "")
            if closing { return }
        }
    }
}
