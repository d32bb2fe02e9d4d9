import Digests
import IPPCodec
import NIOHTTP1

/// Where the request at hand stands.
enum RequestStage {
    case none
    /// `login`: who has proven to be whom.
    case attributes(IPPDecoder, login: String?)
    case document(IncomingDocument)
    /// The answer comes when there is something to tell.
    case wait(NotificationWait)
    /// The answer is known; what still comes of the request is dropped.
    case answer(IPPMessage)
    case page(PageRequest)
    case text(HTTPResponseStatus, String)
    /// 401, with a WWW-Authenticate field each.
    case challenge([String])

    /// A small printer's memory for the attributes of a request.
    private static let limits: IPPLimits = {
        var limits = IPPLimits()
        limits.messageBytes = 256 << 10
        limits.attributes = 4096
        limits.values = 16384
        return limits
    }()

    /// What a request's head makes of it.
    init(_ head: HTTPRequestHead, _ core: PrinterCore) {
        let path = head.uri.prefix { $0 != "?" }
        let isPrinter = path == PrinterIdentity.path || path.hasPrefix("\(PrinterIdentity.path)/")
        guard head.method == .POST, isPrinter else {
            self = .page(PageRequest(head))
            return
        }
        do throws(DigestError) {
            let fields = head.headers["authorization"]
            switch try core.loginCheck?.judge(fields, method: head.method.rawValue, uri: head.uri, at: core.now) {
            case .refused(let challenges): self = .challenge(challenges)
            case .accepted(let user): self = Self.attributes(head, login: user)
            case nil: self = Self.attributes(head, login: nil)
            }
        } catch {
            self = .text(.internalServerError, "\(error.message)\n")
        }
    }

    private static func attributes(_ head: HTTPRequestHead, login: String?) -> RequestStage {
        let type = head.headers.first(name: "content-type")?.lowercased() ?? ""
        guard type.hasPrefix("application/ipp") else { return .text(.unsupportedMediaType, "Send application/ipp.\n") }
        return .attributes(IPPDecoder(limits: limits), login: login)
    }

    /// Whether the answer is known before any of the request's body.
    var isRefusal: Bool {
        switch self {
        case .text, .challenge: true
        default: false
        }
    }
}
