import Glibc
import HTTPTypes
import Hummingbird
import HummingbirdCore
import KioskAPI
import Logging
import NIOCore
import NIOHTTPTypes

/// One client's connection.
struct APIConnection: ServerChildChannelValue {
    let parts: NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>
    let admission: Admission
    let presence: ClientPresence

    enum Admission: Sendable {
        /// The connection is served. The caller is the one that the kernel named when the connection was opened.
        case admitted(Caller)
        /// The first request is answered with this problem.
        case refused(Problem)
        /// The connection ends at once.
        case closed
    }

    var channel: any Channel { parts.channel }
}

/// Sets up accepted connections within the callers' limits, and answers their requests.
struct APIConnections: ServerChildChannel {
    let limits: CallerLimits
    let idleTimeout: TimeAmount
    let descriptors: DescriptorLimit
    let responder: APIResponder

    /// The most bytes of all header fields of a request together, and the most fields.
    private static let maximumHeaderSize = 32 * 1024
    private static let maximumHeaderCount = 100

    /// Never fails, since that would end the server: a connection that cannot be served is closed in `handle`.
    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<APIConnection> {
        let presence = ClientPresence()
        let admission = admission(of: channel, logger)
        var isRefused = false
        if case .refused = admission { isRefused = true }
        return http(presence, isRefused: isRefused) { _, _, _ in }.setup(channel: channel, logger: logger)
            .map { APIConnection(parts: $0, admission: admission, presence: presence) }
    }

    private func admission(of channel: any Channel, _ logger: Logger) -> APIConnection.Admission {
        let caller: Caller
        do {
            caller = try Caller(of: channel)
        } catch {
            logger.error("a connection is closed unanswered: \(error)")
            return .closed
        }
        do {
            let room = descriptor(of: channel).map(descriptors.room(beside:)) ?? .plenty
            guard room == .plenty || room == .scarce && limits.isPrivileged(caller) else {
                descriptors.logRefusal("connections are refused, since few file descriptors are left")
                let problem = Problem(
                    .overloaded, detail: "the daemon is out of file descriptors; try again in a moment")
                if room == .none { return close(channel, telling: problem) }
                throw problem
            }
            let place = try limits.connections.reserve(for: caller)
            channel.closeFuture.whenComplete { _ in place.giveBack() }
            return .admitted(caller)
        } catch {
            let problem = Problem(describing: error)
            guard let place = try? limits.refusals.reserve(for: caller) else { return close(channel, telling: problem) }
            channel.closeFuture.whenComplete { _ in place.giveBack() }
            return .refused(problem)
        }
    }

    /// Sends the reason before the connection ends, without waiting for a request.
    private func close(_ channel: any Channel, telling problem: Problem) -> APIConnection.Admission {
        if let descriptor = descriptor(of: channel) { problem.send(to: descriptor) }
        // Its descriptor is given back before more connections are accepted, not once a task has its turn.
        channel.eventLoop.execute { channel.close(promise: nil) }
        return .closed
    }

    private func descriptor(of channel: any Channel) -> NIOBSDSocket.Handle? {
        try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { $0 }
    }

    func handle(value connection: APIConnection, logger: Logger) async {
        let (responder, limits, presence) = (responder, limits, connection.presence)
        switch connection.admission {
        case .admitted(let caller):
            await http(presence) { request, writer, channel in
                let source = APIContext.Source(
                    channel: channel, caller: caller, presence: presence, limits: limits, logger: responder.logger)
                let response = await responder.response(to: request, source)
                try await writer.write(response: response.head, body: response.body)
            }.handle(value: connection.parts, logger: logger)
        case .refused(let problem):
            await http(presence) { request, writer, _ in
                let response = responder.refusal(of: request, problem)
                try await writer.write(response: response.head, body: response.body)
            }.handle(value: connection.parts, logger: logger)
        case .closed:
            try? await connection.parts.executeThenClose { _, _ in }
        }
    }

    private func http(
        _ presence: ClientPresence, isRefused: Bool = false, _ respond: @escaping HTTPChannelHandler.Responder
    ) -> HTTP1Channel {
        HTTP1Channel(
            responder: respond,
            configuration: HTTP1Channel.Configuration(
                additionalChannelHandlers: [ConnectionHandler(presence: presence, isRefused: isRefused)],
                idleTimeout: idleTimeout,
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: Self.maximumHeaderSize, maxHeaderListSize: Self.maximumHeaderSize,
                    maxHeaderFieldCount: Self.maximumHeaderCount
                )
            )
        )
    }
}

extension Problem {
    /// Sends this problem as a whole answer on a connection that nothing was written to yet; the answer fits into its
    /// buffer.
    fileprivate func send(to descriptor: NIOBSDSocket.Handle) {
        guard let body = try? APIJSON.encode(self) else { return }
        let head =
            "HTTP/1.1 \(status) \(HTTPResponse.Status(code: status).reasonPhrase)\r\nContent-Type: \(APIMediaTypes.problem)\r\nContent-Length: \(body.count)\r\n"
            + "Retry-After: \(code.retryAfter ?? 1)\r\nConnection: close\r\n\r\n"
        let bytes = Array(head.utf8) + body
        _ = bytes.withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL))
        }
    }
}
