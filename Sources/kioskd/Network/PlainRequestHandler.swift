import KioskAPI
import KioskPrintModel
import NIOCore

/// Answers a request without TLS where TLS is spoken: sends a browser on to `https://`, and tells others. It stands
/// between socket and TLS, and goes with the first byte of a handshake. The deadline is that of the handshake.
final class PlainRequestHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The type of a record that begins a handshake (RFC 8446 §5.1).
    private static let handshakeType: UInt8 = 22
    private static let maximumLength = 8 << 10

    private let isOwnName: (String) -> Bool
    private var received = ByteBuffer()
    private var isAnswered = false

    /// `isOwnName`: whether a `Host` is the daemon's.
    init(isOwnName: @escaping (String) -> Bool) { self.isOwnName = isOwnName }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isAnswered else { return }
        var bytes = unwrapInboundIn(data)
        received.writeBuffer(&bytes)
        guard let first = received.readableBytesView.first else { return }
        guard first != Self.handshakeType else {
            context.fireChannelRead(wrapInboundOut(received))
            received.clear()
            return context.pipeline.syncOperations.removeHandler(self, promise: nil)
        }
        let isTooLong = received.readableBytes > Self.maximumLength
        guard
            let answer = Self.answer(
                to: String(decoding: received.readableBytesView, as: UTF8.self), isTooLong: isTooLong, isOwnName)
        else { return context.read() }
        isAnswered = true
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer))).assumeIsolated().whenComplete { _ in
            context.close(promise: nil)
        }
    }

    /// The response to the beginning of a request; nil while its header is not whole.
    ///
    /// Only a browser's GET is sent on: a program that sends a token here should learn that everybody could read it.
    static func answer(to text: String, isTooLong: Bool, _ isOwnName: (String) -> Bool) -> String? {
        guard let end = text.firstRange(of: "\r\n\r\n") else { return isTooLong ? refusal : nil }
        let lines = text[..<end.lowerBound].split(separator: "\r\n", omittingEmptySubsequences: false)
        let request = (lines.first ?? "").split(separator: " ", omittingEmptySubsequences: false)
        var fields: [String: Substring] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { return refusal }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            guard fields.updateValue(value, forKey: line[..<colon].lowercased()) == nil else { return refusal }
        }
        guard request.count == 3, ["GET", "HEAD"].contains(request[0]), request[1].hasPrefix("/"),
            request[1].utf8.allSatisfy({ (0x21...0x7E).contains($0) }), fields["authorization"] == nil,
            let host = fields["host"].map(String.init), isOwnName(host)
        else { return refusal }
        return "HTTP/1.1 307 Temporary Redirect\r\nLocation: https://\(host)\(request[1])\r\n"
            + "Cache-Control: no-store\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    }

    private static let refusal: String = {
        let problem = Problem(
            .malformedRequest, detail: "TLS is spoken at this port; write https:// instead of http://")
        let body = (try? APIJSON.encode(problem)) ?? []
        return "HTTP/1.1 400 Bad Request\r\nContent-Type: \(APIMediaTypes.problem)\r\n"
            + "X-Content-Type-Options: nosniff\r\nContent-Length: \(body.count)\r\nConnection: close\r\n\r\n"
            + String(decoding: body, as: UTF8.self)
    }()
}
