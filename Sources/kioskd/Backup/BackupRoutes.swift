import HTTPTypes
import Hummingbird
import KioskAPI
import KioskAPIMessages
import KioskAccess
import KioskAsyncPrimitives
import KioskBackup
import KioskPrintModel
import NIOCore

/// `/v1/export` and `/v1/import`: everything that makes this kiosk, as one file for another.
struct BackupRoutes: Sendable {
    let editor: RegistryEditor
    let network: NetworkAccess?
    /// Nil where there are no files.
    let places: BackupPlaces?
    /// One import at a time: what one has planned, another would change.
    private let imports = AsyncMutex()

    init(editor: RegistryEditor, network: NetworkAccess?, places: BackupPlaces?) {
        self.editor = editor
        self.network = network
        self.places = places
    }

    func add(to administration: RouterGroup<APIContext>) {
        administration.get(RouterPath(APIPaths.export), use: export)
        administration.post(RouterPath(APIPaths.export), use: exportWithSecrets)
        administration.post(RouterPath(APIPaths.import), use: importExport)
    }

    @Sendable private func export(_ request: Request, _ context: APIContext) async throws -> Response {
        try request.refuseQuery()
        let (network, places) = try parts
        let document = try await ExportMaker(
            registry: editor.registry, tokens: network.tokens, places: places
        ).document(at: .now)
        let bytes = try ExportFile.bytes(of: document)
        network.note("export", by: context.caller, after: document.summary)
        return .bytes(
            bytes, status: .ok, headers: [.contentType: APIMediaTypes.json, .cacheControl: "no-store"])
    }

    /// Only for whom the kernel named: no token of the network takes private keys out of this machine.
    @Sendable private func exportWithSecrets(_ request: Request, _ context: APIContext) async throws -> Response {
        let wanted = try await request.change(ExportRequest.self, context)
        let (network, places) = try parts
        guard context.caller.isNamedByKernel else {
            throw Problem(
                .notAllowed,
                detail:
                    "secrets are exported on the kiosk itself, by root: sudo kioskctl export --secrets; without --secrets it works from here"
            )
        }
        let maker = ExportMaker(registry: await editor.registry, tokens: network.tokens, places: places)
        var document = try await maker.document(at: .now)
        let secrets = try await maker.secrets(notingIn: &document, at: .now)
        let bytes = try await BackgroundWork.run { [document] in
            try ExportFile.bytes(of: document, secrets, passphrase: Secret(wanted.passphrase))
        }
        network.note(
            "export.secrets", by: context.caller,
            after: "\(document.summary); \(secrets.summary)")
        return .bytes(
            bytes, status: .ok, headers: [.contentType: APIMediaTypes.export, .cacheControl: "no-store"])
    }

    @Sendable private func importExport(_ request: Request, _ context: APIContext) async throws -> Response {
        try request.refuseQuery()
        let (network, places) = try parts
        // In JSON a character of the export takes two at most.
        let body = try await request.boundedBody(
            APILimits.maximumExport * 2, context, of: context.limits.bodies, instead: "name another file")
        defer { body.reservation.giveBack() }
        let wanted = try await body.decoded(as: ImportRequest.self)
        guard await imports.lock() else { throw CancellationError() }
        defer { imports.unlock() }
        do {
            let source = try await BackgroundWork.run {
                try ImportSource(Array(wanted.export.utf8), passphrase: wanted.passphrase.map { Secret($0) })
            }
            let importer = Importer(
                editor: editor, network: network, places: places, replaces: wanted.replaces, caller: context.caller)
            let report = try await importer.run(source, isDryRun: wanted.isDryRun)
            if !wanted.isDryRun {
                network.note("import", source.document.host, by: context.caller, after: report.changes.summary)
            }
            return try .json(report)
        } catch {
            let interruption = error as? Importer.Interruption
            let problem = Problem(describing: interruption?.cause ?? error)
            if !wanted.isDryRun {
                network.note(
                    "import", by: context.caller, after: interruption?.written.summary, outcome: .failed,
                    message: problem.detail)
            }
            throw problem
        }
    }

    private var parts: (NetworkAccess, BackupPlaces) {
        get throws(Problem) {
            guard let network, let places else { throw Problem(.notFound, detail: "the daemon keeps no files") }
            return (network, places)
        }
    }
}

extension [ImportReport.Change] {
    /// `printer till-1 add; role receipt add`, of what was changed.
    fileprivate var summary: String {
        filter(\.isMade)
            .map { "\($0.kind.rawValue) \($0.name) \($0.action.rawValue)" }.joined(separator: "; ")
    }
}
