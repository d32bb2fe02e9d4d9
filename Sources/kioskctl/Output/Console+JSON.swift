import KioskAPI
import Terminal

extension Console {
    /// One value as JSON: on one line for streams of values, else indented.
    static func write(json value: some Encodable, oneLine: Bool = false) throws {
        writeLine(json: try oneLine ? APIJSON.encode(value) : APIJSON.encodePretty(value))
    }
}
