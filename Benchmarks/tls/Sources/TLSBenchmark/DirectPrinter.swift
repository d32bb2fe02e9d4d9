import KioskPrintModel
import KioskTestSupport

/// ippeveprinter itself, once plain and once with TLS (GnuTLS), on connections that are kept.
struct DirectPrinter {
    private let printers: [EvePrinter]
    private let plain, secure: Variant

    init(_ authority: TestAuthority) async throws {
        var options = EvePrinter.Options()
        options.certificate = try await authority.issue()
        options.command = "/bin/true"
        let (first, second) = (try await EvePrinter(options), try await EvePrinter(options))
        printers = [first, second]
        plain = Variant("warm ipp://, direct", try TransportSender(first.uri, followsJobs: true))
        secure = Variant(
            "warm ipps://, direct",
            try TransportSender(second.secureURI, trust: .caFile(path: authority.root), followsJobs: true))
    }

    func comparison() -> Comparison {
        Comparison("Straight to ippeveprinter, jobs followed to their end between the samples", [plain, secure])
    }

    func summary() -> String {
        "Straight to `ippeveprinter`, warm `ipps://` / warm `ipp://` (at most 1.3): \((secure.median / plain.median).verdict(1.3))\n"
    }
}
