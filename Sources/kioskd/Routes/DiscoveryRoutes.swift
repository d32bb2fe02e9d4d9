import Hummingbird
import KioskAPI
import PrinterRegistry

/// `/v1/discovered-printers`: what printers are there, saved or not.
struct DiscoveryRoutes: Sendable {
    /// Nil where nothing is looked for.
    let discovery: (any PrinterDiscovery)?
    let editor: RegistryEditor

    func add(to router: Router<APIContext>) {
        router.get("/v1/discovered-printers") { request, _ in
            // Refuses what nobody knows; there is one kind as yet.
            _ = try DiscoveryFilter(query: request.uri.query)
            let saved = await editor.registry.printers
            return try await Response.json(
                DiscoveredPrinterList(printers: discovery?.printers(saved: saved) ?? []))
        }
    }
}
