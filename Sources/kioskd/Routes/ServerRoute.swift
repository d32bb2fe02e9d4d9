import Hummingbird
import KioskAPI

/// `/v1/server`: the daemon's version, where it listens, and its certificate.
struct ServerRoute: Sendable {
    /// Nil where the daemon listens at its Unix socket alone.
    let door: NetworkDoor?

    func add(to router: Router<APIContext>) {
        router.get("/v1/server") { request, _ in
            try request.refuseQuery()
            return try Response.json(door?.information ?? ServerInformation(version: Version.text))
        }
    }
}
