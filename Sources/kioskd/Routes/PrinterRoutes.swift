import HTTPTypes
import Hummingbird
import KioskAPI
import KioskEngine
import KioskPrintModel
import KioskPrinterRegistry
import NIOCore
import Synchronization

/// `/v1/printers`: what printers are saved and how they do; saving, removing and contacting them.
struct PrinterRoutes: Sendable {
    let engine: PrintEngine
    let editor: RegistryEditor
    let access: AccessRules

    func add(to router: Router<APIContext>, _ administration: RouterGroup<APIContext>) {
        router.get("/v1/printers", use: list)
        router.get("/v1/printers/{id}", use: show)
        administration.put("/v1/printers/{id}", use: save)
        administration.delete("/v1/printers/{id}", use: remove)
        router.post("/v1/printers/{id}/contact", use: contact)
        router.post("/v1/printers/{id}/identify", use: identify)
    }

    @Sendable private func list(_ request: Request, _ context: APIContext) async throws -> Response {
        let filter = try PrinterFilter(query: request.uri.query)
        var printers = await engine.printers()
        if let name = filter.role {
            guard let role = await editor.registry.role(name) else { throw Problem.unknown(name) }
            printers = role.printers.compactMap { id in printers.first { $0.printer.id == id } }
        }
        if !filter.jobTypes.isEmpty { printers.removeAll { $0.supports(filter.jobTypes) != true } }
        if let wanted = filter.available { printers.removeAll { $0.availability.isAvailable != wanted } }
        return try .json(PrinterList(printers: printers))
    }

    @Sendable private func show(_ request: Request, _ context: APIContext) async throws -> Response {
        try request.refuseQuery()
        let status = try await engine.printer(context.printerID())
        return try .json(status, headers: Revision(of: status.printer).fields)
    }

    @Sendable private func save(_ request: Request, _ context: APIContext) async throws -> Response {
        try request.refuseQuery()
        let id = try context.printerID()
        let change = try await request.change(PrinterChange.self, context)
        let before = await editor.registry.printer(id)
        let condition = try Precondition(of: request)
        try await editor.edit(by: context.caller) { registry in
            let saved = registry.printer(id)
            try condition.check(saved, of: "the printer \"\(id)\"")
            return try registry.saving(change.printer(id: id, over: saved))
        }
        let status = try await engine.printer(id)
        context.noteTrust(in: status.printer, insteadOf: before)
        return try .json(
            status, status: before == nil ? .created : .ok, headers: Revision(of: status.printer).fields)
    }

    @Sendable private func remove(_ request: Request, _ context: APIContext) async throws -> Response {
        try request.refuseQuery()
        let id = try context.printerID()
        let condition = try Precondition(of: request)
        try await editor.edit(by: context.caller) { registry in
            try condition.check(registry.printer(id), of: "the printer \"\(id)\"")
            return try registry.removing(id)
        }
        return .noContent
    }

    @Sendable private func contact(_ request: Request, _ context: APIContext) async throws -> Response {
        try request.refuseQuery()
        return try await .json(engine.contact(context.printerID(), by: access.requester(of: context)))
    }
}

extension PrinterRoutes {
    /// Flashes and beeps disturb people, so they are for operators, and the log says whose they were.
    @Sendable private func identify(_ request: Request, _ context: APIContext) async throws -> Response {
        let parameters = try IdentifyParameters(query: request.uri.query)
        let id = try context.printerID()
        guard access.isOperator(context.caller) else {
            throw Problem(
                .notAllowed,
                detail:
                    "having a printer show which one it is, is for root, kioskd's own user and members of its --admin-group and its --operator-group, and you are \(context.caller.account)"
            )
        }
        let identification = try await engine.identify(id, message: parameters.message)
        context.noteIdentification(of: id)
        return try .json(identification)
    }
}

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
        try await pin(request.change(TrustChange.self, context).keyFingerprint, for: id, context)
        return try await .json(engine.contact(id))
    }

    /// Trusts the key that a printer shows, where it is the one that a person has compared.
    func pin(_ wanted: Fingerprint, for id: PrinterID, _ context: APIContext) async throws {
        let before = try await engine.printer(id).printer
        let url = before.url
        guard let shown = try await engine.identity(of: id) else {
            throw Problem(
                .certificateMismatch,
                detail:
                    "\(url) shows nothing to trust it by: no certificate, no host key, no serial number; save the printer with an ipps:// URL where it has one"
            )
        }
        let key = shown.identity.keyFingerprint
        guard key == wanted else {
            throw Problem(
                .certificateMismatch,
                detail:
                    "\(url) shows \(shown.identity.device == nil ? "the key " : "")\(key) now, not \(wanted); nothing was changed; look again with: kioskctl printers trust \(id)"
            )
        }
        // A person's word does not outweigh it: whoever revoked the key knew that it is in wrong hands.
        if let refusal = shown.refusal, refusal.code == .hostKeyRevoked {
            throw Problem(
                .keyRevoked,
                detail: "\(refusal.message); nothing was changed; give the host a new key, and trust that one")
        }
        try await editor.edit(by: context.caller) { try $0.pinning(wanted, for: id, at: url) }
        try await context.noteTrust(in: engine.printer(id).printer, insteadOf: before)
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

/// `/v1/discovery` and `/v1/discovered-printers`: what printers are there, saved or not, as they are found or as one
/// list.
struct DiscoveryRoutes: Sendable {
    /// Nil where nothing is looked for.
    let discovery: PrinterDiscovery?
    let engine: PrintEngine
    let editor: RegistryEditor

    func add(to router: Router<APIContext>) {
        router.get("/v1/discovered-printers", use: list)
        router.get("/v1/discovery", use: stream)
    }

    @Sendable private func list(_ request: Request, _ context: APIContext) async throws -> Response {
        let filter = try DiscoveryFilter(query: request.uri.query)
        let reservation = try filter.includesNetwork ? context.limits.discoveries.reserve(for: context.caller) : nil
        defer { reservation?.giveBack() }
        let results = Mutex(DiscoveryResults())
        try await discovery?.run(filter, saved: editor.registry.printers, statuses: engine.printers()) { event in
            results.withLock { $0.add(event) }
        }
        return try Response.json(results.withLock(\.list))
    }

    @Sendable private func stream(_ request: Request, _ context: APIContext) async throws -> Response {
        let filter = try DiscoveryFilter(query: request.uri.query)
        let reservation = try context.limits.discoveries.reserve(for: context.caller)
        let source = DiscoverySource(
            discovery: discovery, filter: filter, saved: await editor.registry.printers,
            statuses: await engine.printers())
        return .eventStream(source, context) { reservation.giveBack() }
    }
}

/// The events of one search, for one client.
private struct DiscoverySource: EventSource {
    let discovery: PrinterDiscovery?
    let filter: DiscoveryFilter
    let saved: [SavedPrinter]
    let statuses: [PrinterStatus]

    func forward(to queue: EventQueue<DiscoveryEvent>) async {
        do {
            try await discovery?.run(filter, saved: saved, statuses: statuses) { _ = queue.append($0) }
        } catch {
            let problem = Problem(describing: error)
            _ = queue.append(.note(problem.detail ?? problem.title))
        }
        _ = queue.append(.end)
    }

    func encoded(_ event: DiscoveryEvent) throws -> ByteBuffer {
        ByteBuffer(bytes: try event.serverSentEvent().encoded)
    }
}
