import Foundation

/// Debian's `ippeveprinter` on loopback: a real IPP Everywhere printer that was not written by us.
///
/// It takes one job at a time, and rejects others with `server-error-busy` meanwhile.
package final class EvePrinter: Sendable {
    package struct Options: Sendable {
        package var name = "Test Printer"
        package var formats = [
            "text/plain", "application/pdf", "image/pwg-raster", "application/octet-stream", "application/vnd.escpos",
        ]
        /// A program to run for each document (its argument); nil runs the one that `printScript` drives.
        package var command: String?
        /// A file of printer attributes; excludes `formats` and whatever `-f -m -M -s -2 -P` set.
        package var attributesFile: String?
        /// What it proves itself with, on its port from the first byte and after an upgrade; nil lets it sign one of
        /// its own.
        package var certificate: TestCertificate?
        /// More arguments of its own.
        package var arguments: [String] = []

        package init() {}
    }

    package let options: Options
    package let port: Int
    /// What its print command is told to do, and what it did.
    package let printScript: PrintScript
    private let folder: TemporaryFolder
    /// ippeveprinter wants a system bus even when it advertises nothing.
    private let bus: MessageBus
    private let running = RunningChild()

    /// Starts it and returns once it responds.
    package init(_ options: Options = Options()) async throws {
        self.options = options
        folder = try TemporaryFolder("eve")
        for name in ["spool", "keys"] {
            try FileManager.default.createDirectory(atPath: folder.appending(name), withIntermediateDirectories: true)
        }
        if let certificate = options.certificate {
            try folder.write(try readFile(certificate.chain), to: "keys/localhost.crt")
            try folder.writePrivately(try readFile(certificate.key), to: "keys/localhost.key")
        }
        printScript = try PrintScript(folder.appending("print-script"))
        bus = try await MessageBus()
        port = try freePort()
        try await start()
    }

    package var uri: String { "ipp://localhost:\(port)/ipp/print" }
    /// The same printer through TLS from the first byte; its certificate is in `keyFolder`.
    package var secureURI: String { "ipps://localhost:\(port)/ipp/print" }
    package var keyFolder: String { folder.appending("keys") }
    package var spoolFolder: String { folder.appending("spool") }
    /// Its log, with `-v`.
    package var log: String { running.child?.standardError ?? "" }
    package var processID: Int32? { running.child?.processID }

    /// The documents that it kept, oldest job first. (Beside each it leaves a `.prn`: what the print command put out.)
    package func keptFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: spoolFolder)
            .filter { !$0.hasSuffix(".prn") }
            .sorted { (Int($0.prefix { $0.isNumber }) ?? 0) < (Int($1.prefix { $0.isNumber }) ?? 0) }
            .map { "\(spoolFolder)/\($0)" }
    }

    /// Starts it again, on the same port.
    package func start() async throws {
        let program = try InstalledProgram.path("ippeveprinter", package: "cups-ipp-utils")
        var arguments = [
            "-p", "\(port)", "-n", "localhost", "-d", spoolFolder, "-k", "-r", "off", "-v", "-K", keyFolder,
            "-c", options.command ?? printScript.path,
        ]
        if let file = options.attributesFile {
            arguments += ["-a", file]
        } else {
            arguments += ["-f", options.formats.joined(separator: ",")]
        }
        let child = try ChildProcess(
            program, arguments + options.arguments + [options.name],
            environment: bus.environment.merging(["TMPDIR": folder.path]) { $1 })
        running.child = child
        // It adds to a file's attributes what stands there already, which ipptool's test of attributes does not let
        // pass.
        let get = [uri, options.attributesFile == nil ? "get-printer-attributes.test" : "get-jobs.test"]
        let ipptool = try InstalledProgram.path("ipptool", package: "cups-ipp-utils")
        try await eventually("a response of ippeveprinter", poll: .milliseconds(20)) {
            guard child.isRunning else { throw TestSupportError("ippeveprinter ended: \(child.standardError)") }
            return try await ChildProcess.run(ipptool, ["-q", "-T", "5"] + get).end.isSuccess
        }
    }

    /// Ends it; its connections break, and its port refuses until `start()`.
    package func stop() async throws {
        guard let child = running.child else { return }
        child.kill()
        try await child.wait()
        running.child = nil
    }
}
