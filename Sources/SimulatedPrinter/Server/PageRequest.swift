import FoundationEssentials
import NIOCore
import NIOHTTP1

/// A request that is no IPP: the status page, and the control resource for scripts.
final class PageRequest {
    private static let controlLimit = 4096

    /// One dot, as small as a PNG can be.
    private static let icon =
        Data(
            base64Encoded:
                "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=")
        ?? Data()

    private let head: HTTPRequestHead
    private var body = ByteBuffer()

    init(_ head: HTTPRequestHead) { self.head = head }

    func take(_ buffer: ByteBuffer) {
        // One byte more than the limit tells that it was exceeded.
        let room = Self.controlLimit + 1 - body.readableBytes
        body.writeImmutableBuffer(
            buffer.getSlice(at: buffer.readerIndex, length: min(room, buffer.readableBytes)) ?? ByteBuffer())
    }

    func answer(with answers: AnswerWriter, _ context: ChannelHandlerContext) {
        let path = head.uri.prefix { $0 != "?" }
        switch (head.method, path) {
        case (.GET, "/"):
            answers.write(.ok, "\(answers.core.service.identity.name): \(answers.core.service.identity.uri)\n", context)
        case (.GET, "/icon.png"): answers.write(.ok, "image/png", ByteBuffer(bytes: Self.icon), context)
        case (.GET, "/control"): report(with: answers, context)
        case (.POST, "/control"): control(with: answers, context)
        case (_, "/control"), (_, "/"), (_, PrinterIdentity.path):
            answers.write(.methodNotAllowed, "\(head.method) is not possible here.\n", context)
        default: answers.write(.notFound, "There is nothing here; the printer is \(PrinterIdentity.path).\n", context)
        }
    }

    private func report(with answers: AnswerWriter, _ context: ChannelHandlerContext) {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let json = try encoder.encode(PrinterReport(answers.core))
            answers.write(.ok, "application/json", ByteBuffer(bytes: json), context)
        } catch {
            answers.write(.internalServerError, "\(error)\n", context)
        }
    }

    private func control(with answers: AnswerWriter, _ context: ChannelHandlerContext) {
        // A browser says where a page's request comes from; no web page has anything to do here.
        guard head.headers["origin"].isEmpty else {
            return answers.write(.forbidden, "Not from a web page.\n", context)
        }
        guard body.readableBytes <= Self.controlLimit else {
            return answers.write(.payloadTooLarge, "At most \(Self.controlLimit) bytes of commands.\n", context)
        }
        let lines = String(buffer: body).split(whereSeparator: \.isNewline).map(String.init)
        let commands = lines.compactMap { PrinterCommand($0) }
        guard commands.count == lines.count, !commands.isEmpty else {
            let help = PrinterCommand.help.map(\.words).joined(separator: "\n")
            return answers.write(.badRequest, "One command a line:\n\(help)\n", context)
        }
        let (last, first) = (commands.filter(\.breaksConnections), commands.filter { !$0.breaksConnections })
        for command in first { _ = answers.core.perform(command) }
        answers.write(.ok, "ok\n", context)
        let core = NIOLoopBound(answers.core, eventLoop: context.eventLoop)
        // Behind the answer, which else would be lost with the answers.
        context.eventLoop.execute {
            for command in last { _ = core.value.perform(command) }
        }
    }
}
