import HTTPTypes
import Hummingbird

/// Every path of the API with its methods, to tell "nothing here" from "not that method", and to compare with the
/// API's description.
struct RouteTable: Sendable {
    private let entries: [Entry]

    private struct Entry: Sendable {
        /// `v1/jobs/{id}`, with nil for a captured part.
        var pattern: [String?]
        var path: String
        var method: HTTPRequest.Method
    }

    init(_ router: Router<APIContext>) {
        entries = router.routes.map { route in
            let parts = route.path.description.split(separator: "/").map(String.init)
            return Entry(
                pattern: parts.map { $0.hasPrefix("{") ? nil : $0 }, path: "/" + parts.joined(separator: "/"),
                method: route.method
            )
        }
    }

    /// The methods that `path` takes, in alphabetical order; empty when there is nothing.
    func methods(at path: String) -> [String] {
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
        let methods = entries.filter { entry in
            entry.pattern.count == parts.count
                && zip(entry.pattern, parts).allSatisfy { pattern, part in pattern.map { $0 == part } ?? true }
        }
        return Set(methods.map(\.method.rawValue)).sorted()
    }

    /// `GET /v1/jobs/{id}` for each route, sorted.
    var lines: [String] { entries.map { "\($0.method) \($0.path)" }.sorted() }
}
