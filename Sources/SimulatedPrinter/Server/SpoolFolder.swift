import FoundationEssentials
import Glibc

/// The folder of the documents: the caller's, or a temporary one that goes with this value.
final class SpoolFolder: Sendable {
    let path: String
    private let isTemporary: Bool

    init(_ wanted: String?) throws(SimulatedPrinterError) {
        isTemporary = wanted == nil
        guard let wanted else {
            path = try Self.makeTemporaryFolder()
            return
        }
        path = wanted
        do {
            try FileManager.default.createDirectory(atPath: wanted, withIntermediateDirectories: true)
        } catch {
            let code = ((error as? CocoaError)?.underlying as? POSIXError)?.code.rawValue
            let reason = code.map { String(cString: strerror($0)) } ?? "\(error)"
            throw SimulatedPrinterError(
                "The folder \(wanted) cannot be made: \(reason). Name one that can be written to.")
        }
    }

    deinit {
        if isTemporary { try? FileManager.default.removeItem(atPath: path) }
    }

    private static func makeTemporaryFolder() throws(SimulatedPrinterError) -> String {
        let parent = FileManager.default.temporaryDirectory.path
        var template = Array("\(parent)/simulated-printer-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .errno("mkdtemp", parent, errno) }
        return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
