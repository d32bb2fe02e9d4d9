public import PrintModel
import SSH

extension SSHLprTransport {
    public func identity(of printer: PrinterTarget) async throws -> JudgedIdentity? {
        guard let connector else { return nil }
        return try await call(printer) { _ in
            let shown = try await connector.identity(of: printer)
            return JudgedIdentity(
                .hostKey(shown.key), refusal: shown.refusal.map { TransportError($0, printer: printer.url) })
        }
    }
}
