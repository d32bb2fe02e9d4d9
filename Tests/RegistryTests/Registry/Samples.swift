import KioskPrintModel
import Testing

@testable import KioskPrinterRegistry

/// Names and values that the registry's tests share.
enum Sample {
    static func id(_ text: String) throws -> PrinterID { try #require(PrinterID(rawValue: text)) }
    static func role(_ text: String) throws -> RoleName { try #require(RoleName(rawValue: text)) }

    static func printer(_ id: String, host: String = "192.0.2.10") throws -> SavedPrinter {
        SavedPrinter(id: try self.id(id), url: try PrinterURL("ipp://\(host)/ipp/print"))
    }

    static func registry(_ text: String, profiles: ProfileLibrary? = nil) throws(RegistryError) -> Registry {
        try RegistryReader.read(Array(text.utf8), file: "printers.yaml", profiles: profiles).registry
    }

    /// What the file becomes when it is edited.
    static func saving(_ text: String, _ edit: (Registry) throws -> Registry) throws -> String {
        let content = Array(text.utf8)
        let new = try edit(registry(text))
        return String(decoding: try RegistryWriter.write(new, over: content, file: "printers.yaml"), as: UTF8.self)
    }
}
