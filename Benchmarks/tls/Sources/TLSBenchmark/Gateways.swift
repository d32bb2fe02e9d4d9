import PrintModel
import TestSupport

/// nginx in all the ways that are compared, each before the same printer that does nothing.
struct Gateways {
    private let plain, secure, coldPlain: NginxGateway
    private let resuming, full: [(name: String, gateway: NginxGateway)]
    private let trust: Trust

    init(_ authority: TestAuthority, upstreamPort: Int) async throws {
        trust = .caFile(path: authority.root)
        func start(
            _ key: TestCertificate.Key?, version: String = "TLSv1.3", isCold: Bool = false, resumes: Bool = true
        ) async throws -> NginxGateway {
            var options = NginxGateway.Options()
            if let key { options.certificate = try await authority.issue(.init("localhost", names: ["localhost"], key: key)) }
            options.protocols = version
            options.hasSessionTickets = resumes
            options.hasSessionCache = resumes
            options.requestsPerConnection = isCold ? 1 : 1_000_000
            return try await NginxGateway(options, upstreamPort: upstreamPort)
        }
        plain = try await start(nil)
        secure = try await start(.p256)
        coldPlain = try await start(nil, isCold: true)
        var (resuming, full): ([(String, NginxGateway)], [(String, NginxGateway)]) = ([], [])
        for version in ["TLSv1.3", "TLSv1.2"] {
            for key in TestCertificate.Key.allCases {
                let name = "\(version) \(key)"
                resuming.append((name, try await start(key, version: version, isCold: true)))
                full.append((name, try await start(key, version: version, isCold: true, resumes: false)))
            }
        }
        self.resuming = resuming
        self.full = full
    }

    func comparison() throws -> Comparison {
        var variants = [
            try Variant("warm ipp://", plain.uri), try Variant("warm ipps://", secure.secureURI, trust: trust),
            try Variant("cold ipp://", coldPlain.uri),
        ]
        var ratios: [(Int, Int, wanted: Double?)] = [(1, 0, 1.3)]
        for (index, resumed) in resuming.enumerated() {
            let first = variants.count
            variants += [
                try Variant("cold ipps://, resumed, \(resumed.name)", resumed.gateway.secureURI, trust: trust),
                try Variant("cold ipps://, full handshake, \(resumed.name)", full[index].gateway.secureURI, trust: trust),
            ]
            ratios.append((first, first + 1, 0.5))
        }
        return Comparison(title: "Through nginx to a printer that does nothing", variants: variants, ratios: ratios)
    }

    /// Whether nginx saw what the names of the ways say.
    func check() throws {
        for (way, isResumed) in resuming.map({ ($0, true) }) + full.map({ ($0, false) }) {
            let seen = try way.gateway.requests().dropFirst()
            guard !seen.isEmpty, seen.allSatisfy({ $0.isSessionReused == isResumed && $0.requestOfConnection == 1 }) else {
                throw TestSupportError("nginx saw \(seen.count { $0.isSessionReused }) of \(seen.count) connections resumed")
            }
        }
        for gateway in [plain, secure] where Set(try gateway.requests().map(\.connection)).count != 1 {
            throw TestSupportError("a warm way took more than one connection")
        }
    }
}
