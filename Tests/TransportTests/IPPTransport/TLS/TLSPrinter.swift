import IPPCodec
import NIOCore
import PrintModel
import TLS

@testable import IPP

/// A scripted printer behind TLS, a transport, and their ends.
struct TLSPrinter {
    let printer: ScriptedPrinter
    let front: TLSFront
    let transport: IPPTransport

    static func with(
        _ context: TLSContext? = nil, mode: TLSFront.Mode = .tls, credentials: (any CredentialSource)? = nil,
        deadlines: IPPTransport.Deadlines = .patient,
        staysInside: @escaping @Sendable (SocketAddress) -> Bool = { _ in false },
        script: @escaping ScriptedPrinter.Script = { try $0.serve() }, _ body: (TLSPrinter) async throws -> Void
    ) async throws {
        let fixtures = try await TLSFixtures.get()
        let context = try context ?? TLSContext.server(fixtures.identity)
        let printer = try ScriptedPrinter(script)
        defer { printer.stop() }
        let front = try await TLSFront(context, to: printer.port, mode: mode)
        let transport = IPPTransport(credentials: credentials, deadlines: deadlines, staysInside: staysInside)
        let result: Result<Void, any Error>
        do {
            try await body(TLSPrinter(printer: printer, front: front, transport: transport))
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await transport.shutDown()
        try await front.stop()
        try result.get()
    }

    func contactError(_ target: PrinterTarget) async -> TransportError? {
        do {
            _ = try await transport.contact(target)
            return nil
        } catch {
            return error as? TransportError
        }
    }
}

extension ScriptedConnection {
    /// Takes whatever comes until the client leaves.
    func serve(closing: Bool = false) throws {
        while true {
            try answer(readRequest(), fields: closing ? "Connection: close\r\n" : "")
            if closing { return }
        }
    }
}
