import Hummingbird
import KioskEngine

/// `/v1/health`: how the engine does, for monitoring.
struct HealthRoute: Sendable {
    let engine: PrintEngine

    func add(to router: Router<APIContext>) {
        router.get("/v1/health") { request, _ in
            try request.refuseQuery()
            return try await Response.json(engine.health())
        }
    }
}
