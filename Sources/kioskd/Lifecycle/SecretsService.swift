internal import KioskEngine
internal import Logging
internal import PrinterRegistry
internal import ServiceLifecycle

/// Has printers that are logged in to asked anew whenever the secrets file changes: a mended password prints at once.
struct SecretsService: Service {
    let secrets: SecretStore
    let engine: PrintEngine
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            do {
                try await secrets.watch {
                    logger.info("\(secrets.path) changed: printers that are logged in to are asked again")
                    await engine.credentialsChanged()
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
    init(_ paths: DaemonPaths) {
        self.init(path: paths.secrets, credentialsDirectory: paths.credentialsDirectory)
    }
}
