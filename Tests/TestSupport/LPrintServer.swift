import Foundation

/// Debian's `lprint`, a print server for label printers on PAPPL, with one printer whose device is a file.
package final class LPrintServer: Sendable {
    package let port: Int
    private let folder: TemporaryFolder
    private let running = RunningChild()

    /// Starts it with a printer of this driver (`lprint drivers`), and returns once that printer is there.
    package init(driver: String = "zpl_4inch-203dpi-dt") async throws {
        folder = try TemporaryFolder("lprint")
        // It takes files that are there already.
        try folder.write("", to: "paper.prn")
        port = try freePort()
        try await start()
        let added = try await ChildProcess.run(
            program(),
            ["add", "-d", "label", "-u", "ipp://localhost:\(port)/", "-v", "file://\(paperPath)", "-m", driver],
            environment: environment)
        guard added.end.isSuccess else { throw TestSupportError("lprint add: \(added.standardError)") }
    }

    package var uri: String { "ipp://localhost:\(port)/ipp/print/label" }
    package var secureURI: String { "ipps://localhost:\(port)/ipp/print/label" }
    package var log: String { (try? String(decoding: folder.read("log"), as: UTF8.self)) ?? "" }

    /// The bytes that its device got so far.
    package var output: [UInt8] { get throws { try folder.read("paper.prn") } }

    /// Starts it again, on the same port: it knows its printer, and no job.
    package func start() async throws {
        let settings = [
            "server-port=\(port)", "listen-hostname=localhost", "server-name=localhost",
            "log-file=\(folder.appending("log"))", "log-level=debug", "spool-directory=\(folder.appending("spool"))",
        ]
        let child = try ChildProcess(
            program(), ["server"] + settings.flatMap { ["-o", $0] },
            environment: environment.merging(["LD_PRELOAD": PAPPLPrinter.path("build/server-keys.so")]) { $1 })
        running.child = child
        try await waitUntilListening(child, on: port)
    }

    /// Ends it as a crash does.
    package func kill() async throws { try await running.kill() }

    /// Lets its printer take jobs and print none, or go on. A file as its device runs out of nothing.
    package func pause() async throws { try await operate("Pause-Printer") }
    package func resume() async throws { try await operate("Resume-Printer") }

    private func operate(_ operation: String) async throws {
        let test = try folder.write(
            """
            { OPERATION \(operation)
            GROUP operation-attributes-tag
            ATTR charset attributes-charset utf-8
            ATTR naturalLanguage attributes-natural-language en
            ATTR uri printer-uri $uri
            STATUS successful-ok }
            """, to: "operation.test")
        let result = try await Ipptool.run(test, on: uri)
        guard result.end.isSuccess else { throw TestSupportError("\(operation): \(result.standardOutput)") }
    }

    private func program() throws -> String { try InstalledProgram.path("lprint", package: "lprint") }
    private var paperPath: String { folder.appending("paper.prn") }
    private var environment: [String: String] { PAPPLPrinter.environment(in: folder) }
}
