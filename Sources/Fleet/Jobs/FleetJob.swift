package import KioskPrintModel

/// A job on its way from an office to a site's role, as its message at the hub describes it: everything but a document
/// that is too long for the message.
package struct FleetJob: Hashable, Sendable {
    package var site: SiteName
    package var role: RoleName
    /// The sender's own key of the job: the same key and content is the same job, however often it is sent.
    package var idempotencyKey: String
    /// What people see in listings and at the printer.
    package var name: String
    /// Nil lets the document's first bytes decide.
    package var format: DocumentFormat?
    /// How long after the hub has stored it the job is worth printing, in seconds; nil: as long as its role says.
    package var expiresAfter: Int?
    /// The ticket as the API's JSON; nil where the role decides everything.
    package var ticket: String?
    /// The document's length in bytes.
    package var length: Int
    /// SHA-256 of the document in hexadecimal.
    package var digest: String
    /// Where the document is.
    package var place: Place

    package enum Place: Hashable, Sendable {
        /// In the job's own message.
        case inline
        /// In messages of `FleetDocument.chunkLength` bytes, of which the last is shorter.
        case chunks
        /// In a store, from which the kiosk fetches it. The address is the message's body.
        case url(DocumentAddress)

        /// As the message's header has it.
        fileprivate var name: String {
            switch self {
            case .inline: "inline"
            case .chunks: "chunks"
            case .url: "url"
            }
        }
    }

    /// The key as it stands in subjects. Throws `invalid-name`.
    package func key() throws(FleetError) -> JobKey { try JobKey(idempotencyKey: idempotencyKey) }

    /// Describes a document that is to be sent. Throws `invalid-name` for texts that no message can carry, and
    /// `malformed` for a document that is empty or too long.
    package init(
        site: SiteName, role: RoleName, idempotencyKey: String, name: String, document: [UInt8],
        format: DocumentFormat? = nil, expiresAfter: Int? = nil, ticket: String? = nil
    ) throws(FleetError) {
        try self.init(
            site: site, role: role, idempotencyKey: idempotencyKey, name: name,
            place: document.count <= FleetDocument.chunkLength ? .inline : .chunks, length: document.count,
            digest: FleetDocument.digest(of: document), format: format, expiresAfter: expiresAfter, ticket: ticket)
    }

    /// Describes a document that lies in a store. Throws as for one that is to be sent, and `malformed` for a digest that
    /// is none.
    package init(
        site: SiteName, role: RoleName, idempotencyKey: String, name: String, documentAt address: DocumentAddress,
        length: Int, digest: String, format: DocumentFormat? = nil, expiresAfter: Int? = nil, ticket: String? = nil
    ) throws(FleetError) {
        let digest = digest.lowercased()
        guard FleetDocument.isDigest(digest) else {
            throw FleetError(
                .malformed, "a document's SHA-256 has 64 hexadecimal digits, as `sha256sum` writes them")
        }
        try self.init(
            site: site, role: role, idempotencyKey: idempotencyKey, name: name, place: .url(address), length: length,
            digest: digest, format: format, expiresAfter: expiresAfter, ticket: ticket)
    }

    private init(
        site: SiteName, role: RoleName, idempotencyKey: String, name: String, place: Place, length: Int,
        digest: String, format: DocumentFormat?, expiresAfter: Int?, ticket: String?
    ) throws(FleetError) {
        guard (1...FleetDocument.maximumLength).contains(length) else {
            throw FleetError(
                .malformed, "a document of the fleet has 1 to \(FleetDocument.maximumLength) bytes, and not \(length)")
        }
        (self.site, self.role, self.idempotencyKey, self.name) = (site, role, idempotencyKey, name)
        (self.format, self.expiresAfter, self.ticket) = (format, expiresAfter, ticket)
        (self.place, self.length, self.digest) = (place, length, digest)
        _ = try key()
        for (what, text) in [("name", name), ("ticket", ticket ?? "")] where !Self.isHeader(text) {
            throw FleetError(
                .invalidName,
                "the job's \(what) holds control characters or more than \(Self.maximumHeader) bytes; send plain text")
        }
    }

    /// A line break would begin another header.
    private static func isHeader(_ text: String) -> Bool {
        text.utf8.count <= maximumHeader && !text.hasControlCharacters
    }

    /// In bytes: a ticket of everything that there is has fewer.
    private static let maximumHeader = 8192

    // MARK: The message

    private enum Header {
        static let key = "Kioskd-Key"
        static let name = "Kioskd-Name"
        static let format = "Kioskd-Format"
        static let expiresAfter = "Kioskd-Expires-After"
        static let document = "Kioskd-Document"
        static let size = "Kioskd-Size"
        static let digest = "Kioskd-SHA256"
        static let ticket = "Kioskd-Ticket"
    }

    /// What the message says beside its body.
    package var headers: [String: String] {
        var headers = [
            Header.key: idempotencyKey, Header.name: name, Header.document: place.name, Header.size: "\(length)",
            Header.digest: digest,
        ]
        headers[Header.format] = format?.mimeType
        headers[Header.expiresAfter] = expiresAfter.map { "\($0)" }
        headers[Header.ticket] = ticket
        return headers
    }

    /// Reads a job that came from the hub. Throws `malformed`: any sender may have made it.
    package init(_ message: HubMessage) throws(FleetError) {
        guard case .job(let site, let role, let key)? = FleetSubject(message.subject) else {
            throw FleetError(.malformed, "a message of the subject \(message.subject.prefix(100)) is no job")
        }
        (self.site, self.role) = (site, role)
        func text(_ header: String) throws(FleetError) -> String {
            guard let text = message.headers[header], !text.isEmpty, Self.isHeader(text) else {
                throw FleetError(.malformed, "the job \(key) has no \(header) that can be used")
            }
            return text
        }
        func number(_ header: String, _ range: ClosedRange<Int>) throws(FleetError) -> Int {
            guard let number = Int(try text(header)), range.contains(number) else {
                throw FleetError(.malformed, "the job \(key) has a \(header) that is not \(range)")
            }
            return number
        }
        idempotencyKey = try text(Header.key)
        guard try JobKey(idempotencyKey: idempotencyKey) == key else {
            throw FleetError(.malformed, "the job \(key) has a \(Header.key) that belongs to another subject")
        }
        name = try text(Header.name)
        ticket = message.headers[Header.ticket] == nil ? nil : try text(Header.ticket)
        expiresAfter =
            message.headers[Header.expiresAfter] == nil ? nil : try number(Header.expiresAfter, 1...Self.longestExpiry)
        length = try number(Header.size, 1...FleetDocument.maximumLength)
        digest = try text(Header.digest)
        switch try text(Header.document) {
        case "inline": place = .inline
        case "chunks": place = .chunks
        case "url": place = .url(try Self.address(in: message.body, of: key))
        default: throw FleetError(.malformed, "the job \(key) has its document where this version does not find it")
        }
        if message.headers[Header.format] != nil {
            guard let format = DocumentFormat(try text(Header.format)) else {
                throw FleetError(.malformed, "the job \(key) has a \(Header.format) that is no media type")
            }
            self.format = format
        }
    }

    private static func address(in body: [UInt8], of key: JobKey) throws(FleetError) -> DocumentAddress {
        do throws(FleetError) {
            // Its length is checked before the bytes become a text.
            guard body.count <= DocumentAddress.maximumLength else { return try DocumentAddress("") }
            return try DocumentAddress(String(decoding: body, as: UTF8.self))
        } catch {
            throw FleetError(.malformed, "the job \(key) cannot be fetched: \(error)")
        }
    }

    /// In seconds: as long as the hub keeps jobs, 7 days.
    package static let longestExpiry = 7 * 86_400
}
