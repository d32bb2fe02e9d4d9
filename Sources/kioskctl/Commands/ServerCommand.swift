import ArgumentParser
import KioskAPIMessages
import KioskBlockingClient
import KioskPrintModel
import KioskTerminal

struct ServerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server",
        abstract: "Say where the daemon listens, and the fingerprint of its certificate.",
        discussion: """
            Compare the fingerprints with what a browser or another machine is shown by the daemon at its address. \
            A certificate that the daemon made is renewed by itself, and keeps its key.

            EXAMPLES
              kioskctl server
              kioskctl server --json
            """
    )

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    func run() throws {
        let address = try connection.choice.address()
        let server = try BlockingClient(address: address).perform(.server())
        guard !output.json else { return try Console.write(json: server) }
        var socket: String?
        if case .socket(let location) = address { socket = location.path }
        Console.write(ServerText.details(server, socket: socket, now: Timestamp.now))
    }
}

/// Formats the daemon's description for people.
enum ServerText {
    static func details(
        _ server: ServerInformation, socket: String?, now: Timestamp, _ style: Style = .current
    ) -> String {
        var details = Details("kioskd \(server.version)")
        if let socket { details.add("socket", socket) }
        for (index, address) in server.addresses.enumerated() {
            details.add(index == 0 ? "listens at" : "", address)
        }
        if server.addresses.isEmpty { details.add("listens at", "its socket alone (kioskd --listen)") }
        guard let certificate = server.certificate else { return details.text(style) }
        details.add("names", certificate.names.joined(separator: ", "))
        let isExpired = certificate.notAfter < now
        let made = server.isOwnCertificate == true ? "made by kioskd" : "given (kioskd --tls-certificate)"
        details.add("certificate", made)
        details.add(
            "valid until", certificate.notAfter.description + (isExpired ? " (expired)" : ""), isExpired ? .red : nil)
        details.add("certificate's SHA-256", certificate.fingerprint.withColons)
        details.add("", certificate.fingerprint.description)
        details.add("key's SHA-256", certificate.keyFingerprint.description)
        return details.text(style)
    }
}
