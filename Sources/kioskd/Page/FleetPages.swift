import Hummingbird
import KioskAPI
import KioskAdminPage

/// `/fleet`: the kiosk's part in its fleet.
struct FleetPages: Sendable {
    let route: FleetRoute

    func add(to router: Router<APIContext>, _ pages: PageServer) {
        pages.get("/fleet", router) { page in
            page.answer(.fleet, FleetScreen(fleet: try await route.information()).screen(page.texts))
        }
    }
}
