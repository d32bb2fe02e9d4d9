import HTTPTypes
import Hummingbird
import KioskAPI

/// `/v1/openapi.json`: the API's description, as it is committed beside the routes.
struct OpenAPIRoute: Sendable {
    func add(to router: Router<APIContext>) {
        router.get("/v1/openapi.json") { request, _ in
            try request.refuseQuery()
            return Response.bytes(
                PackageResources.openapi_json, status: .ok, headers: [.contentType: APIMediaTypes.json])
        }
    }
}
