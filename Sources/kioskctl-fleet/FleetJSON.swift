import FoundationEssentials
import KioskFleet
import KioskPrintModel
import KioskTerminal

/// The JSON that goes out, and the tickets that come in.
enum FleetJSON {
    static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }

    /// A ticket as one line, as a job's header has it. Throws where the text is none, has keys that no ticket has, or
    /// holds secrets: the hub keeps jobs for days.
    static func ticket(_ text: String) throws -> String {
        let ticket: Ticket
        let keys: Keys
        do {
            ticket = try JSONDecoder().decode(Ticket.self, from: Data(text.utf8))
            keys = try JSONDecoder().decode(Keys.self, from: Data(text.utf8))
        } catch {
            throw CommandFailure(
                message: "--ticket is no ticket; write JSON such as {\"copies\": 2, \"sides\": \"two-sided-long-edge\"}"
            )
        }
        if let secret = keys.names.first(where: Ticket.secretKeys.contains) {
            throw CommandFailure(message: "--ticket has \(secret), which would lie at the hub for days; leave it out")
        }
        if let unknown = keys.names.first(where: { !Ticket.keys.contains($0) }) {
            throw CommandFailure(
                message:
                    "--ticket has \"\(unknown)\", which no ticket has; write some of \(Ticket.keys.joined(separator: ", "))"
            )
        }
        if let problem = ticket.problems.first { throw CommandFailure(message: "--ticket: \(problem)") }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(ticket), as: UTF8.self)
    }

    /// The keys of an object, in order.
    private struct Keys: Decodable {
        var names: [String]

        private struct Name: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }

            init?(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        init(from decoder: any Decoder) throws {
            names = try decoder.container(keyedBy: Name.self).allKeys.map(\.stringValue).sorted()
        }
    }
}
