import FoundationEssentials
import GRDB
import KioskPrintModel

extension JobStore {
    /// What is remembered of a printer's last successful contact.
    struct RememberedContact: Sendable {
        var url: PrinterURL
        var description: PrinterDescription
        var contactedAt: Timestamp
    }

    static func rememberedContacts(in db: Database) throws -> [PrinterID: RememberedContact] {
        var contacts: [PrinterID: RememberedContact] = [:]
        for row in try Row.fetchAll(db, sql: "SELECT * FROM printer_contact") {
            // A description of an earlier shape, or one that is damaged, is worth nothing; the next contact writes it
            // anew.
            guard let contact = try? RememberedContact(row: row),
                let id = (try? row.value("printer")).flatMap(PrinterID.init(rawValue:))
            else { continue }
            contacts[id] = contact
        }
        return contacts
    }

    /// The write has its place among all others before this leaves its caller's actor.
    func remember(
        _ contact: RememberedContact, of printer: PrinterID, isolation: isolated (any Actor)? = #isolation
    ) async throws {
        let description = String(decoding: try JSONEncoder().encode(contact.description), as: UTF8.self)
        try await commits.commit { db in
            try db.execute(
                sql: """
                    INSERT INTO printer_contact (printer, url, description, contacted_at) VALUES (?, ?, ?, ?)
                    ON CONFLICT (printer) DO UPDATE SET url = excluded.url, description = excluded.description,
                        contacted_at = excluded.contacted_at
                    """,
                arguments: [
                    printer.rawValue, contact.url.description, description, contact.contactedAt.millisecondsSince1970,
                ]
            )
        }
    }

    /// Eight letters that tell this engine's jobs from those of any other at the same printer; made once for a state
    /// folder.
    static func marker(in db: Database) throws -> String {
        if let marker = try String.fetchOne(db, sql: "SELECT marker FROM queue") { return marker }
        let marker = String((0..<8).map { _ in "bcdfghjkmnpqrstvwxz".randomElement() ?? "x" })
        try db.execute(sql: "UPDATE queue SET marker = ?", arguments: [marker])
        return marker
    }
}

extension JobStore.RememberedContact {
    fileprivate init(row: Row) throws {
        url = try PrinterURL(row.value("url"))
        description = try JSONDecoder().decode(
            PrinterDescription.self, from: Data(row.value("description", as: String.self).utf8))
        contactedAt = Timestamp(millisecondsSince1970: try row.value("contacted_at"))
    }
}
