import HTTPTypes
import Hummingbird
import KioskAPI
import KioskMetrics
import KioskPrometheusText

/// `/metrics`: what Prometheus scrapes.
struct MetricsRoute: Sendable {
    /// Nil where nothing is counted.
    let page: MetricsPage?

    func add(to router: Router<APIContext>) {
        router.get("/metrics") { request, _ in
            try request.refuseQuery()
            guard let page else { throw Problem(.notFound, detail: "this daemon counts nothing") }
            let text = await page.text()
            return Response.bytes(
                Array(text.utf8), status: .ok,
                headers: [.contentType: TextExposition.mediaType, .cacheControl: "no-store"])
        }
    }
}
