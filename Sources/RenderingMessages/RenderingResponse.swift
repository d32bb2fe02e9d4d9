package import KioskHelperMessages
import KioskPrintModel

/// A response of `kiosk-render`.
package enum RenderingResponse: Hashable, Sendable {
    /// Sent once, before any request: the program has given up its rights, and reads requests now. `library` names the
    /// library that draws PDF and its version; nil where it is not installed. `built` is its date, `2026-11-09`, where
    /// that is known. A program that cannot start sends a refusal instead.
    case ready(library: String?, built: String? = nil)
    case info(DocumentInfo)
    /// A part of the encoded document.
    case bytes([UInt8])
    /// All bytes of the side were sent.
    case sideEnd
    /// All bytes of the document were sent.
    case end
    /// The document or the side cannot be drawn. Nothing more follows.
    case refused(RenderingRefusal)
}

extension RenderingResponse {
    /// The version of the messages. Both sides must have the same one.
    private static let version: UInt8 = 2

    private enum Kind: UInt8 { case ready = 1, info, bytes, sideEnd, end, refused }

    /// Decodes a message without its frame; throws unless the whole message is one response.
    package init(_ message: some Collection<UInt8>) throws(HelperMessageError) {
        var reader = MessageReader(message)
        guard let kind = Kind(rawValue: try reader.byte()) else {
            throw HelperMessageError("a response of an unknown kind")
        }
        switch kind {
        case .ready:
            guard try reader.byte() == Self.version else { throw HelperMessageError("a greeting of another version") }
            let library = try reader.optionalText(limit: RenderingLimits.textLength)
            self = .ready(library: library, built: try reader.optionalText(limit: RenderingLimits.textLength))
        case .info: self = .info(try reader.info())
        case .bytes: self = .bytes(reader.remainder())
        case .sideEnd: self = .sideEnd
        case .end: self = .end
        case .refused:
            let code = try reader.choice(RenderingRefusal.Code.self)
            self = .refused(RenderingRefusal(code, try reader.text(limit: RenderingLimits.messageLength)))
        }
        try reader.end()
    }

    /// The response in its frame.
    package var frame: [UInt8] {
        HelperFrame.bytes { writer in
            switch self {
            case .ready(let library, let built):
                writer.byte(Kind.ready.rawValue)
                writer.byte(Self.version)
                writer.optionalText(library)
                writer.optionalText(built)
            case .info(let info):
                writer.byte(Kind.info.rawValue)
                writer.info(info)
            case .bytes(let bytes):
                writer.byte(Kind.bytes.rawValue)
                writer.raw(bytes)
            case .sideEnd: writer.byte(Kind.sideEnd.rawValue)
            case .end: writer.byte(Kind.end.rawValue)
            case .refused(let refusal):
                writer.byte(Kind.refused.rawValue)
                writer.choice(refusal.code)
                writer.text(refusal.message, limit: RenderingLimits.messageLength)
            }
        }
    }
}

extension MessageReader {
    fileprivate mutating func info() throws(HelperMessageError) -> DocumentInfo {
        let count = try number(in: 1...RenderingLimits.pages)
        var pages: [DocumentInfo.PageSize] = []
        let edge = 0...RenderingLimits.pageEdge
        for _ in 0..<count {
            let width = try real(in: edge)
            pages.append(DocumentInfo.PageSize(width: width, height: try real(in: edge)))
        }
        var info = DocumentInfo(pages: pages)
        info.hasStatedSizes = try flag()
        info.isLatin1 = try flag()
        info.preferences.actualSize = try flag()
        info.preferences.sides = try flag() ? try choice(Ticket.Sides.self) : nil
        info.preferences.copies = try number(in: 1...RenderingLimits.copies)
        info.largestPicture = try number()
        return info
    }
}

extension MessageWriter {
    fileprivate mutating func info(_ info: DocumentInfo) {
        number(info.pages.count)
        for page in info.pages {
            real(page.width)
            real(page.height)
        }
        let preferences = info.preferences
        flag(info.hasStatedSizes)
        flag(info.isLatin1)
        flag(preferences.actualSize)
        flag(preferences.sides != nil)
        if let sides = preferences.sides { choice(sides) }
        number(preferences.copies)
        number(info.largestPicture)
    }
}
