import KioskEngine
import KioskPrintModel
import KioskPrinterRegistry
import Logging
import ServiceLifecycle
import UnixSignals

/// Reads the registry again at each SIGHUP, and tells the service manager when that is done. What is wrong with it then
/// shows in the log and in the health report.
struct ReloadService: Service {
    let registry: RegistryStore
    let supervision: Supervision
    let logger: Logger

    func run() async throws {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            await supervision.reload {
                do {
                    try await registry.reload()
                } catch {
                    logger.error("SIGHUP: the registry is not reloaded: \(error)")
                }
            }
        }
    }
}

/// Contacts printers again when their secrets change, so that a corrected password or a renewed certificate prints at
/// once.
struct SecretsService: Service {
    let secrets: SecretStore
    /// What they said before anybody used them: a change before the watch begins is not missed.
    let known: SecretSnapshot
    let engine: PrintEngine
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            do {
                try await secrets.watch(since: known) { change in
                    let asked = await engine.credentialsChanged { change.concerns($0) }
                    guard !asked.isEmpty else { return }
                    let names = asked.map(\.rawValue).joined(separator: ", ")
                    logger.info("\(secrets.path) changed, or a file that it names: asked again are \(names)")
                }
            } catch {
                logger.notice("\(secrets.path) is not watched: \(error); what it says counts at the next contact")
                // A service that ends takes the daemon with it.
                try? await gracefulShutdown()
            }
        }
    }
}

extension SecretStore {
    init(_ paths: DaemonPaths, user: UInt32? = nil) {
        self.init(path: paths.secrets, credentialsDirectory: paths.credentialsDirectory, user: user)
    }
}
