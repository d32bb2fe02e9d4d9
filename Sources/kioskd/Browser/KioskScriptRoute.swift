import HTTPTypes
import Hummingbird
import KioskAPI

/// `/kiosk.js`: the ES module that web pages print with. It holds no secret, so every page may load it; whether the
/// page may print is decided at its requests.
struct KioskScriptRoute: Sendable {
    static let path = "/kiosk.js"

    func add(to router: Router<APIContext>) {
        router.get("\(Self.path)") { request, _ in
            try request.refuseQuery()
            return Response.bytes(
                PackageResources.kiosk_js, status: .ok,
                headers: [
                    .contentType: "text/javascript; charset=utf-8",
                    .cacheControl: "max-age=600",
                    // `diagnose()` of a page whose origin nobody listed sees by it that the daemon is there.
                    .crossOriginResourcePolicy: "cross-origin",
                ])
        }
    }
}
