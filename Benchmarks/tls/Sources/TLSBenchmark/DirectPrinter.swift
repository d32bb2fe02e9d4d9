import PrintModel
import TestSupport

/// ippeveprinter itself, once plain and once with TLS (GnuTLS), on connections that are kept.
struct DirectPrinter {
    private let plain, secure: EvePrinter
    private let trust: Trust

    init(_ authority: TestAuthority) async throws {
        trust = .caFile(path: authority.root)
        var options = EvePrinter.Options()
        options.certificate = try await authority.issue()
        options.command = "/bin/true"
        plain = try await EvePrinter(options)
        secure = try await EvePrinter(options)
    }

    func comparison() throws -> Comparison {
        Comparison(
            title: "Straight to ippeveprinter, jobs followed to their end between the samples",
            variants: [
                try Variant("warm ipp://", plain.uri, followsJobs: true),
                try Variant("warm ipps://", secure.secureURI, trust: trust, followsJobs: true),
            ], ratios: [(1, 0, 1.3)])
    }
}
