import HTTPTypes
import Hummingbird
import KioskAPI
import KioskEngine
import PrintModel
import PrinterRegistry

/// `/v1/printers/{id}/certificate` and `/trust`: the certificate or host key that a printer shows, and accepting it.
struct TrustRoutes: Sendable {
    let engine: PrintEngine
    let editor: RegistryEditor

    func add(to router: Router<APIContext>, _ administration: RouterGroup<APIContext>) {
        router.get("/v1/printers/{id}/certificate", use: certificate)
        administration.post("/v1/printers/{id}/trust", use: trust)
    }

    @Sendable private func certificate(_ request: Request, _ context: APIContext) async throws -> Response {
        try request.refuseQuery()
        return try await .json(engine.inspectTrust(of: context.printerID()))
    }

    @Sendable private func trust(_ request: Request, _ context: APIContext) async throws -> Response {
        let id = try context.printerID()
        let wanted = try await request.change(TrustChange.self, context).keyFingerprint
        let before = try await engine.printer(id).printer
        let url = before.url
        guard let shown = try await engine.identity(of: id) else {
            throw Problem(
                .certificateMismatch,
                detail: "\(url) shows no certificate, so there is none to trust; save the printer with an ipps:// URL")
        }
        let key = shown.identity.keyFingerprint
        guard key == wanted else {
            throw Problem(
                .certificateMismatch,
                detail:
                    "\(url) shows the key \(key) now, not \(wanted); nothing was changed; look again with: kioskctl printers trust \(id)"
            )
        }
        // A person's word does not outweigh it: whoever revoked the key knew that it is in wrong hands.
        if let refusal = shown.refusal, refusal.code == .hostKeyRevoked {
            throw Problem(
                .keyRevoked,
                detail: "\(refusal.message); nothing was changed; give the host a new key, and trust that one")
        }
        try await editor.edit { try $0.pinning(wanted, for: id, at: url) }
        try await context.noteTrust(in: engine.printer(id).printer, insteadOf: before)
        return try await .json(engine.contact(id))
    }
}

extension Registry {
    /// This registry with a key pinned for a printer, as long as it still stands where the key was seen.
    fileprivate func pinning(_ key: Fingerprint, for id: PrinterID, at url: PrinterURL) throws -> Registry {
        guard var printer = printer(id), printer.url == url else {
            throw Problem(
                .certificateMismatch,
                detail: "\(id) was changed or removed meanwhile; nothing was changed; look at it again")
        }
        printer.trust = .pinned([key])
        return try saving(printer)
    }
}
