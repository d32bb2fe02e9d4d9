import KioskAccess
import KioskEngine
import KioskFleet
import KioskPrintModel
import KioskPrinterRegistry
import KioskStandby
import Logging
import ServiceLifecycle

/// This kiosk's part in a pair that mirrors jobs: what it has the partner keep, and what it keeps for the partner.
struct Partnership: Service {
    let mirror: JobMirror
    let keeper: StandbyKeeper
    private let contact: PartnerContact
    private let link: PartnerLink

    init(
        with settings: PartnerSettings, engine: PrintEngine, registry: RegistryStore, tokens: TokenStore,
        stateDirectory: String, logger: Logger
    ) async throws {
        let path = "\(stateDirectory)/standby.sqlite"
        let store: StandbyStore
        do {
            store = try StandbyStore(path: path)
        } catch {
            throw StartError(
                .cannotCreate, "cannot open \(path): \(error); see that this user can write it, or move it away")
        }
        contact = PartnerContact(of: "\(settings.host)")
        link = PartnerLink(to: settings, queue: engine.queueName)
        mirror = JobMirror(
            engine: engine, registry: registry, tokens: tokens, store: store, link: link, contact: contact,
            logger: logger)
        keeper = StandbyKeeper(
            engine: engine, tokens: tokens, store: store, contact: contact, node: settings.node.text, logger: logger)
        await mirror.begin()
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { await mirror.run() }
                group.addTask { await keeper.run() }
            }
        }
        link.close()
    }

    /// The findings for the health report.
    func checks() async -> [HealthReport.Check] { contact.checks() + (await mirror.checks()) }
}

extension Registry {
    /// The findings for the health report of a kiosk without a partner.
    var checksWithoutPartner: [HealthReport.Check] {
        roles.filter(\.mirror).map { role in
            HealthReport.Check(
                code: "not-mirrored", subject: role.name.rawValue, status: .warning,
                message:
                    "jobs of the role \"\(role.name)\" are to be mirrored, and this kiosk has no partner; start kioskd with --partner, or take mirror: true out of the role"
            )
        }
    }
}

/// The engine, which prints nothing before the partner was asked what it has taken over, for a second at most.
struct EngineService: Service {
    let engine: PrintEngine
    /// Nil where the kiosk has no partner.
    let mirror: JobMirror?

    func run() async throws {
        await mirror?.askBeforePrinting()
        try await engine.run()
    }
}
