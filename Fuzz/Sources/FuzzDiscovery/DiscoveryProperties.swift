import DiscoveryCodecs
import KioskPrintModel

/// What must hold for whatever stands in a datagram or a TXT record that a printer sent.
enum DiscoveryProperties {
    static func check(_ bytes: [UInt8]) {
        let datagrams = [
            ENPC.finding(bytes, from: "192.0.2.7"), StarSDP.finding(bytes, from: "192.0.2.7"),
            ZebraDiscovery.finding(bytes, from: "192.0.2.7"),
        ].compactMap(\.self)
        for finding in datagrams {
            guard finding.url.description == "socket://192.0.2.7" else {
                fatalError("an address of the sender's choice")
            }
            check(finding)
        }
        // The same bytes as a TXT record: lines are its strings, the first is a name.
        let strings = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Array.init)
        let name = String(decoding: strings.first ?? [], as: UTF8.self)
        let services = DNSSDService.types.compactMap { type in
            DNSSDService(
                name: name, type: type, hostName: name, address: "192.0.2.7", port: bytes.count, text: strings
            ).finding
        }
        services.forEach(check)
        checkList(datagrams + services)
    }

    /// Texts are bounded and clean, and the URL reads back.
    private static func check(_ finding: NetworkFinding) {
        let texts = [finding.makeAndModel, finding.model, finding.uuid, finding.location, finding.hostName]
        for text in texts.compactMap(\.self) + finding.formats {
            guard !text.isEmpty, text.utf8.count <= 3 * ReceivedText.maximumLength, !text.hasControlCharacters else {
                fatalError("a text that is not clean")
            }
        }
        guard finding.formats.count <= 16 else { fatalError("too many formats") }
        guard let again = try? PrinterURL(finding.url.description), again == finding.url, again.host == "192.0.2.7"
        else { fatalError("a URL that does not read back") }
    }

    /// In whatever order, each finding stands in one printer, and every printer is told of once.
    private static func checkList(_ findings: [NetworkFinding]) {
        for findings in [findings, findings.reversed()] {
            var printers = NetworkPrinters()
            for finding in findings { printers.add(finding, at: .zero) }
            let told = printers.rest()
            guard Set(told.flatMap(\.findings)) == Set(findings), printers.rest().isEmpty,
                Set(told.map(\.number)).count == told.count
            else { fatalError("a finding that is lost or doubled") }
        }
    }
}
