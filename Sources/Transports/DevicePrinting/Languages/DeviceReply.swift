import KioskPrintModel

/// One response of a printer on its back-channel, in whichever language it is queried.
package enum DeviceReply: Hashable, Sendable {
    case escPos(EscPosReply)
    case star(StarStatus)
    case zebra(ZebraReply)
    case pjl(PJLReply)

    /// Whether it can only come from the printer. Noise rarely looks like that.
    var isResponse: Bool {
        switch self {
        case .escPos(.garbage), .zebra(.garbage), .pjl(.garbage): false
        default: true
        }
    }

    /// Whether it reports the printer's condition.
    var isStatus: Bool {
        switch self {
        case .escPos(let reply): reply.isStatus
        case .star, .pjl(.status): true
        case .zebra(let reply): reply.isStatus
        case .pjl: false
        }
    }
}

/// Separates the responses of a printer of one language.
enum DeviceReplyParser: Sendable {
    case none
    case escPos(EscPosReplyParser)
    case star(StarStatusParser)
    case zebra(ZebraReplyParser)
    case pjl(PJLReplyParser)

    init(_ language: DeviceSettings.Language?) {
        self =
            switch language {
            case nil: .none
            case .escPOS?: .escPos(EscPosReplyParser())
            case .starLine?: .star(StarStatusParser())
            case .zpl?: .zebra(ZebraReplyParser())
            case .pjl?: .pjl(PJLReplyParser())
            }
    }

    mutating func feed(_ bytes: [UInt8]) -> [DeviceReply] {
        switch self {
        case .none: return []
        case .escPos(var parser):
            defer { self = .escPos(parser) }
            return parser.feed(bytes).map(DeviceReply.escPos)
        case .star(var parser):
            defer { self = .star(parser) }
            return parser.feed(bytes).compactMap { if case .status(let status) = $0 { .star(status) } else { nil } }
        case .zebra(var parser):
            defer { self = .zebra(parser) }
            return parser.feed(bytes).map(DeviceReply.zebra)
        case .pjl(var parser):
            defer { self = .pjl(parser) }
            return parser.feed(bytes).map(DeviceReply.pjl)
        }
    }
}
