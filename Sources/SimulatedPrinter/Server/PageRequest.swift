import FoundationEssentials
import NIOCore
import NIOHTTP1

/// A request that is no IPP: the status page, and the control resource for scripts.
final class PageRequest {
    private static let controlLimit = 4096

    /// One dot, as small as a PNG can be.
    private static let icon = Data(
        base64Encoded: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=") ?? Data()

    private let head: HTTPRequestHead
    private var body = ByteBuffer()

    init(_ head: HTTPRequestHead) { self.head = head }

    func take(_ buffer: ByteBuffer) {
        // One byte more than the limit tells that it was exceeded.
        let room = Self.controlLimit + 1 - body.readableBytes
        body.writeImmutableBuffer(buffer.getSlice(at: buffer.readerIndex, length: min(room, buffer.readableBytes)) ?? ByteBuffer())
    }

    func answer(on connection: PrinterConnection, _ context: ChannelHandlerContext) {
        let path = head.uri.prefix { $0 != "?" }
        switch (head.method, path) {
        case (.GET, "/"):
            connection.write(.ok, "\(connection.core.service.identity.name): \(connection.core.service.identity.uri)\n", context)
        case (.GET, "/icon.png"): connection.write(.ok, "image/png", ByteBuffer(bytes: Self.icon), context)
        case (.GET, "/control"): report(on: connection, context)
        case (.POST, "/control"): control(on: connection, context)
        case (_, "/control"), (_, "/"), (_, PrinterIdentity.path):
            connection.write(.methodNotAllowed, "\(head.method) is not possible here.\n", context)
        default: connection.write(.notFound, "There is nothing here; the printer is \(PrinterIdentity.path).\n", context)
        }
    }

    private func report(on connection: PrinterConnection, _ context: ChannelHandlerContext) {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let json = try encoder.encode(PrinterReport(connection.core))
            connection.write(.ok, "application/json", ByteBuffer(bytes: json), context)
        } catch {
            connection.write(.internalServerError, "\(error)\n", context)
        }
    }

    private func control(on connection: PrinterConnection, _ context: ChannelHandlerContext) {
        // A browser says where a page's request comes from; no web page has anything to do here.
        guard head.headers["origin"].isEmpty else {
            return connection.write(.forbidden, "Not from a web page.\n", context)
        }
        guard body.readableBytes <= Self.controlLimit else {
            return connection.write(.payloadTooLarge, "At most \(Self.controlLimit) bytes of commands.\n", context)
        }
        let lines = String(buffer: body).split(whereSeparator: \.isNewline).map(String.init)
        let commands = lines.compactMap { PrinterCommand($0) }
        guard commands.count == lines.count, !commands.isEmpty else {
            let help = PrinterCommand.help.map(\.words).joined(separator: "\n")
            return connection.write(.badRequest, "One command a line:\n\(help)\n", context)
        }
        let (last, first) = (commands.filter(\.breaksConnections), commands.filter { !$0.breaksConnections })
        for command in first { _ = connection.core.perform(command) }
        connection.write(.ok, "ok\n", context)
        let core = NIOLoopBound(connection.core, eventLoop: context.eventLoop)
        // Behind the answer, which else would be lost with the connection.
        context.eventLoop.execute {
            for command in last { _ = core.value.perform(command) }
        }
    }
}
