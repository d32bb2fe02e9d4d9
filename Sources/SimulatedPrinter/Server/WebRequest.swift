import FoundationEssentials
import KioskPrintModel
import NIOCore
import NIOHTTP1

/// An HTTP request that is not IPP: for the status page, the icon, or the control resource that scripts use.
final class WebRequest {
    private static let commandsLimit = 4096

    /// One dot, as small as a PNG can be.
    private static let icon =
        Data(
            base64Encoded:
                "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=")
        ?? Data()

    private let head: HTTPRequestHead
    private var body = ByteBuffer()

    init(_ head: HTTPRequestHead) { self.head = head }

    func receive(_ buffer: ByteBuffer) {
        // One byte more than the limit shows that the body exceeds it.
        let capacity = Self.commandsLimit + 1 - body.readableBytes
        body.writeImmutableBuffer(
            buffer.getSlice(at: buffer.readerIndex, length: min(capacity, buffer.readableBytes)) ?? ByteBuffer())
    }

    func respond(with writer: ResponseWriter, _ context: ChannelHandlerContext) {
        let path = head.uri.prefix { $0 != "?" }
        switch (head.method, path) {
        case (.GET, "/"):
            let printer = writer.server.identity
            writer.write(.ok, "\(printer.name): \(printer.uri)\n", context)
        case (.GET, "/icon.png"): writer.write(.ok, "image/png", ByteBuffer(bytes: Self.icon), context)
        case (.GET, "/control"): sendReport(with: writer, context)
        case (.POST, "/control"): performCommands(with: writer, context)
        case (_, "/control"), (_, "/"), (_, PrinterIdentity.path):
            writer.write(.methodNotAllowed, "\(head.method) is not allowed here.\n", context)
        default: writer.write(.notFound, "Not found; the printer is \(PrinterIdentity.path).\n", context)
        }
    }

    private func sendReport(with writer: ResponseWriter, _ context: ChannelHandlerContext) {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let json = try encoder.encode(StatusReport(writer.server))
            writer.write(.ok, "application/json", ByteBuffer(bytes: json), context)
        } catch {
            writer.write(.internalServerError, "\(error)\n", context)
        }
    }

    private func performCommands(with writer: ResponseWriter, _ context: ChannelHandlerContext) {
        // A browser says where a page's request comes from; no web page has anything to do here.
        guard head.headers["origin"].isEmpty else {
            return writer.write(.forbidden, "Requests from web pages are not allowed.\n", context)
        }
        guard body.readableBytes <= Self.commandsLimit else {
            return writer.write(.payloadTooLarge, "At most \(Self.commandsLimit) bytes of commands.\n", context)
        }
        let lines = String(buffer: body).split(whereSeparator: \.isNewline).map(String.init)
        let commands = lines.compactMap { PrinterCommand($0) }
        guard commands.count == lines.count, !commands.isEmpty else {
            let help = PrinterCommand.help.map(\.words).joined(separator: "\n")
            return writer.write(.badRequest, "Send one command per line:\n\(help)\n", context)
        }
        let (last, first) = (commands.filter(\.breaksConnections), commands.filter { !$0.breaksConnections })
        for command in first { _ = writer.server.perform(command) }
        writer.write(.ok, "ok\n", context)
        let server = NIOLoopBound(writer.server, eventLoop: context.eventLoop)
        // Only now: these commands break the connection, and the response would be lost with it.
        context.eventLoop.execute {
            for command in last { _ = server.value.perform(command) }
        }
    }
}

/// The JSON that `GET /control` returns to scripts.
private struct StatusReport: Encodable {
    struct Job: Encodable {
        let id: Int32
        let name: String
        let state: String
        let reasons: [String]
        let bytes: Int64
    }
    struct Document: Encodable {
        let number: Int
        let jobID: Int32
        let jobName: String
        let format: String
        let path: String
        let bytes: Int64
        let isComplete: Bool
    }
    struct Paper: Encodable {
        let document: Int
        let jobID: Int32
        let jobName: String
        let bytes: Int64
        let isComplete: Bool
    }
    let uri: String
    let state: String
    let reasons: [String]
    let jobs: [Job]
    let documents: [Document]
    let paper: [Paper]

    init(_ server: PrinterServer) {
        let model = server.model
        uri = server.identity.uri
        state = "\(model.state)"
        reasons = model.reasons
        jobs = model.jobs.map {
            Job(id: $0.id, name: $0.name, state: $0.state.rawValue, reasons: $0.reasons, bytes: $0.bytes)
        }
        documents = server.documents.map {
            Document(
                number: $0.number, jobID: $0.jobID, jobName: $0.jobName, format: $0.format, path: $0.path,
                bytes: $0.bytes, isComplete: $0.isComplete)
        }
        paper = server.paper.map {
            Paper(
                document: $0.document, jobID: $0.jobID, jobName: $0.jobName, bytes: $0.bytes, isComplete: $0.isComplete)
        }
    }
}
