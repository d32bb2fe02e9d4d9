import Digests
import KioskPrintEngine
import TLS
import Terminal
import USB

/// Prints a receipt in markup on the receipt printer whose URL is named, and says what became of it:
///
///     swift run till ipp://192.0.2.10/ipp/print /var/lib/till /usr/share/kioskd/profiles
///
/// Queue and registry are in the second argument's directory, which no other process may use at the same time. Exits
/// with 0 where the receipt is completed.
@main
struct Till {
    static func main() async throws {
        guard CommandLine.arguments.count == 4 else {
            Terminal.fail("till PRINTER-URL STATE-DIRECTORY PROFILES", code: 64)
        }
        let url = try PrinterURL(CommandLine.arguments[1])
        let folder = CommandLine.arguments[2]
        Terminal.show("printer", url.description)
        Terminal.show("encrypted", TLS.isUsed(by: url.scheme.name) ? "yes" : "no")
        Terminal.show("on USB", USB.products().joined(separator: ", "))

        let profiles = try ProfileLibrary.load(CommandLine.arguments[3])
        let registry = await RegistryStore(path: "\(folder)/printers.yaml", profiles: profiles)
        // People may edit the file as well.
        try await registry.update { saved in
            try saved.saving(SavedPrinter(id: "till-1", url: url, profile: "epson-tm"))
                .assigning(Role(name: "receipt", printers: ["till-1"]))
        }
        let engine = try await openEngine(folder: folder, profiles: profiles, registry: registry)
        let job = try await print(receipt, with: engine)
        Terminal.show("job", "\(job.id)")
        Terminal.show("state", job.state.rawValue)
        Terminal.show("evidence", job.evidence?.rawValue ?? "none")
        if let message = job.message { Terminal.show("message", message) }
        guard job.state == .completed else { Terminal.fail("the receipt is not printed", code: 1) }
    }

    /// What was sold, with the number that tells a copy from a forgery.
    private static var receipt: String {
        let lines = ["One coffee | 2.40", "One cake | 3.10", "-", "TOTAL | 5.50"]
        return (lines + ["", "Check \(Digests.checkNumber(of: lines))", ""]).joined(separator: "\n")
    }

    /// Prints with an engine that runs for this receipt, and returns the job once it is settled.
    private static func print(_ receipt: String, with engine: PrintEngine) async throws -> Job {
        async let _ = engine.run()
        let request = JobRequest(role: "receipt", name: "Receipt 147", format: .receiptLine)
        let job = try await engine.submit(request, bytes: Array(receipt.utf8))
        return try await engine.wait(for: job.id, timeout: .seconds(20))
    }
}
