import Logging
import PrinterRegistry
import ServiceLifecycle
import UnixSignals

/// Reads the registry again at each SIGHUP. What is wrong with it then shows in the log and in the health report.
struct ReloadService: Service {
    let registry: RegistryStore
    let logger: Logger

    func run() async throws {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            do {
                try await registry.reload()
            } catch {
                logger.error("SIGHUP: the registry is not reloaded: \(error)")
            }
        }
    }
}
