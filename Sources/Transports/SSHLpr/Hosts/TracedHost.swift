import KioskPrintModel
import KioskSSH

/// A host whose calls for one printer are told to a `WireTrace`: commands with their ends and their errors, and how
/// much of a document was sent. Of the document nothing else is told.
struct TracedHost: RemoteHost {
    let host: any RemoteHost
    let trace: WireTrace
    let printer: PrinterURL

    func run(
        _ command: RemoteCommand, progress: @escaping @Sendable (RemoteProgress) -> Void
    ) async throws -> RemoteResult {
        tell("exec: \(command.line)")
        let result = try await traced("exec") {
            try await host.run(command) { step in
                tell(step)
                progress(step)
            }
        }
        tell("\(result.exit), \(result.output.count) bytes of output")
        // The output of a command that got a document may contain it: a login that is bound to `cat`, for example.
        if command.kind == .query { tell(result.output, as: "stdout") }
        tell(result.errorOutput, as: "stderr")
        return result
    }

    func upload(
        _ document: DocumentSource, to path: String, progress: @escaping @Sendable (RemoteProgress) -> Void
    ) async throws {
        tell("SFTP: upload to \(path)")
        try await traced("SFTP upload") {
            try await host.upload(document, to: path) { step in
                tell(step)
                progress(step)
            }
        }
        tell("SFTP: the upload is complete")
    }

    func rename(_ path: String, to newPath: String) async throws {
        tell("SFTP: rename \(path) to \(newPath)")
        try await traced("SFTP rename") { try await host.rename(path, to: newPath) }
    }

    func remove(_ path: String) async throws {
        tell("SFTP: remove \(path)")
        try await traced("SFTP remove") { try await host.remove(path) }
    }

    private func traced<Value: Sendable>(_ call: String, _ work: () async throws -> Value) async throws -> Value {
        do {
            return try await work()
        } catch let error as SSHError where error.code == .cancelled {
            tell("\(call) was cancelled")
            throw error
        } catch {
            tell("\(call) failed: \(ConnectionTrace.bounded("\(error)"))")
            throw error
        }
    }

    private func tell(_ step: RemoteProgress) {
        switch step {
        case .started: break
        case .sending(let octets, let length): tell("sent \(octets) of \(length) bytes of the document")
        case .sent: tell("sent the end of the input")
        }
    }

    private func tell(_ output: [UInt8], as name: String) {
        let beginning = output.prefix(1024)
        if beginning.contains(where: { $0 > 0x20 }) { tell("\(name): \(Self.line(beginning))") }
    }

    private static func line(_ output: ArraySlice<UInt8>) -> String {
        let words = String(decoding: output, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        return ConnectionTrace.bounded(words.joined(separator: " "))
    }

    private func tell(_ message: @autoclosure () -> String) { trace.tell(.ssh, printer, message()) }
}
