import HTTPTypes
import Hummingbird
import KioskAPI
import KioskPrintModel

/// What a saved printer or role was when somebody read it: it changes with the settings, not with the printer's state.
/// It is the `ETag` of `/v1/printers/{id}` and `/v1/roles/{name}`, and stands in the page's forms.
struct Revision: Hashable, Sendable {
    let text: String

    init(text: String) { self.text = text }

    init(of settings: some Encodable) throws {
        // FNV-1a over JSON with sorted keys: it tells people's edits apart, and protects from nobody.
        let hash = try APIJSON.encode(settings).reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        text = String(hash, radix: 36)
    }

    /// As an entity tag (RFC 9110 §8.8.3).
    var tag: String { "\"\(text)\"" }

    /// The header field for a response that shows these settings. They are read anew each time, since the state beside
    /// them changes without them.
    var fields: HTTPFields { [.eTag: tag, .cacheControl: "no-store"] }
}

/// The condition of a change: that nobody else has changed the settings meanwhile.
struct Precondition: Sendable {
    private enum Rule: Sendable {
        case anything
        case absent
        case present
        case oneOf([String])
    }
    private let rule: Rule

    /// The condition of a request: `If-Match` with tags or `*`, or `If-None-Match: *` (RFC 9110 §13.1).
    init(of request: Request) throws(Problem) {
        if let tags = request.headers[.ifMatch] {
            let list = tags.split(separator: ",").map { String($0.trimmingBlanks()) }
            rule = list == ["*"] ? .present : .oneOf(list)
        } else if let tags = request.headers[.ifNoneMatch] {
            guard tags == "*" else {
                throw Problem(.invalidParameter, detail: "a change takes If-Match, or If-None-Match: *")
            }
            rule = .absent
        } else {
            rule = .anything
        }
    }

    /// The settings must be of this revision; nil: there must be none yet.
    init(_ revision: Revision?) { rule = revision.map { .oneOf([$0.tag]) } ?? .absent }

    /// Throws where the settings are not of that revision. `settings`: as they are now; `what`: `the printer "till-1"`.
    func check(_ settings: (some Encodable)?, of what: @autoclosure () -> String) throws {
        let detail: String
        switch rule {
        case .anything: return
        case .absent:
            guard settings != nil else { return }
            detail = "\(what()) is there already; nothing was changed; look at it, or choose another name"
        case .present:
            guard settings == nil else { return }
            detail = "\(what()) is not there any more; nothing was changed"
        case .oneOf(let tags):
            let current = try settings.map { try Revision(of: $0).tag }
            if let current, tags.contains(current) { return }
            detail =
                settings == nil
                ? "\(what()) was removed meanwhile; nothing was changed"
                : "\(what()) was changed meanwhile; nothing was changed; look at it again, then repeat your change"
        }
        throw Problem(.changedMeanwhile, detail: detail)
    }
}
