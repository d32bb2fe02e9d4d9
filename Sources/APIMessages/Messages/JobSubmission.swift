import FoundationEssentials
public import KioskPrintModel

/// The JSON form of `POST /v1/jobs`:
///
///     {"role": "receipt", "document": {"text": "Tea 2.50\n"}, "ticket": {"copies": 2}}
///
/// `document-format` may be left out: `text` is `text/plain`, and the format of `base64` is detected from its first
/// bytes.
public struct JobSubmission: Hashable, Sendable, Codable {
    /// The role to print to. Either this or `printer` is set.
    public var role: RoleName?
    /// The printer to print to, in place of a role.
    public var printer: PrinterID?
    /// The job's name for people.
    public var name: String?
    /// The name of the user that the job shows.
    public var user: String?
    /// The document's format; nil as described above.
    public var format: DocumentFormat?
    /// The document.
    public var document: Document
    /// The settings of the job, such as copies and sides.
    public var ticket: Ticket

    /// The document itself.
    public enum Document: Hashable, Sendable {
        /// `{"text": "…"}`
        case text(String)
        /// `{"base64": "…"}`
        case bytes([UInt8])

        /// The document's bytes; text is encoded as UTF-8.
        public var bytes: [UInt8] {
            switch self {
            case .text(let text): Array(text.utf8)
            case .bytes(let bytes): bytes
            }
        }
    }

    public init(
        role: RoleName? = nil, printer: PrinterID? = nil, name: String? = nil, user: String? = nil,
        format: DocumentFormat? = nil, document: Document, ticket: Ticket = Ticket()
    ) {
        self.role = role
        self.printer = printer
        self.name = name
        self.user = user
        self.format = format
        self.document = document
        self.ticket = ticket
    }

    /// `format`, else the format that the document's content shows.
    public var effectiveFormat: DocumentFormat {
        if let format { return format }
        return switch document {
        case .text: .plainText
        case .bytes(let bytes): DocumentFormat.detected(in: bytes) ?? .octetStream
        }
    }

    /// The parameters that the submission has in the raw form, where the body is the document. Throws a `Problem` as
    /// that form does.
    public func parameters() throws -> SubmissionParameters {
        var parameters = SubmissionParameters()
        parameters.role = role
        parameters.printer = printer
        parameters.name = name
        parameters.user = user
        parameters.format = effectiveFormat
        parameters.ticket = ticket
        try parameters.check()
        return parameters
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case role, printer, name, user
        case format = "document-format"
        case document, ticket
    }

    public init(from decoder: any Decoder) throws {
        try decoder.refuseKeys(besides: CodingKeys.allCases.map(\.rawValue))
        let container = try decoder.container(keyedBy: CodingKeys.self)
        role = try container.decodeIfPresent(RoleName.self, forKey: .role)
        printer = try container.decodeIfPresent(PrinterID.self, forKey: .printer)
        name = try container.decodeIfPresent(String.self, forKey: .name)
        user = try container.decodeIfPresent(String.self, forKey: .user)
        format = try container.decodeIfPresent(DocumentFormat.self, forKey: .format)
        document = try container.decode(Document.self, forKey: .document)
        ticket = try container.decodeIfPresent(StrictTicket.self, forKey: .ticket)?.ticket ?? Ticket()
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(role, forKey: .role)
        try container.encodeIfPresent(printer, forKey: .printer)
        try container.encodeIfPresent(name, forKey: .name)
        try container.encodeIfPresent(user, forKey: .user)
        try container.encodeIfPresent(format, forKey: .format)
        try container.encode(document, forKey: .document)
        if ticket != Ticket() { try container.encode(RevealedTicket(ticket), forKey: .ticket) }
    }
}

extension JobSubmission.Document: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case text, base64
    }

    public init(from decoder: any Decoder) throws {
        try decoder.refuseKeys(besides: CodingKeys.allCases.map(\.rawValue))
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch (
            try container.decodeIfPresent(String.self, forKey: .text),
            try container.decodeIfPresent(String.self, forKey: .base64)
        ) {
        case (let text?, nil): self = .text(text)
        case (nil, let base64?):
            guard let data = Data(base64Encoded: base64) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .base64, in: container, debugDescription: "it is not base64 text (RFC 4648 §4)"
                )
            }
            self = .bytes(Array(data))
        default:
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "write either \"text\" or \"base64\"")
            )
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .text(let text): try container.encode(text, forKey: .text)
        case .bytes(let bytes): try container.encode(Data(bytes).base64EncodedString(), forKey: .base64)
        }
    }
}
