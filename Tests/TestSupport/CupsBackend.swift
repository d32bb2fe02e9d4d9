import Foundation

/// A backend of CUPS (`socket`, `lpd`), as cupsd would start it, from Debian's package as it is, unpacked beside the
/// build (`Scripts/bootstrap test`): another program that prints on the same printer.
package enum CupsBackend: String, Sendable {
    case socket, lpd

    private var path: String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../.build/peers/cups/usr/lib/cups/backend/\(rawValue)").standardized.path
    }

    /// Why it cannot run here; nil where it can.
    package static var obstacle: String? {
        if geteuid() != 0 { return "CUPS's backends need root" }
        let isThere = FileManager.default.isExecutableFile(atPath: CupsBackend.lpd.path)
        return isThere ? nil : "CUPS's backends are missing: run `Scripts/bootstrap test`"
    }

    /// Starts to print a document.
    package func print(_ document: [UInt8], title: String, to uri: String) throws -> ChildProcess {
        // Its arguments: job-id, user, title, copies, options; the document comes on standard input where no file is named.
        let child = try ChildProcess(
            path, ["17", "till", title, "1", ""],
            environment: ["DEVICE_URI": uri, "PRINTER": "rival", "PATH": "/usr/bin:/bin"])
        try child.write(String(decoding: document, as: UTF8.self))
        child.closeInput()
        return child
    }
}
