import KioskPrintModel
import KioskTestSupport

/// nginx in all the ways that are compared, each before the same printer that does nothing.
struct Gateways {
    /// One TLS version and kind of key, on connections that serve one request each.
    private struct Cold {
        let name: String
        let resuming, full: ColdWay
    }

    /// One nginx, and a receipt through it by our transport and by bare OpenSSL.
    private struct ColdWay {
        let gateway: NginxGateway
        let ours, bare: Variant
    }

    private let warm: [NginxGateway]
    private let coldPlain: NginxGateway
    private let plain, secure, plainOnce, barePlainOnce: Variant
    private let cold: [Cold]

    init(_ authority: TestAuthority, upstreamPort: Int) async throws {
        let trust = Trust.caFile(path: authority.root)
        func start(
            _ key: TestCertificate.Key?, version: String = "TLSv1.3", isCold: Bool = false, resumes: Bool = true
        ) async throws -> NginxGateway {
            var options = NginxGateway.Options()
            if let key {
                options.certificate = try await authority.issue(.init("localhost", names: ["localhost"], key: key))
            }
            options.protocols = version
            options.hasSessionTickets = resumes
            options.hasSessionCache = resumes
            options.requestsPerConnection = isCold ? 1 : 1_000_000
            // Each connection's end would be told, and somebody here would have to read it.
            options.logLevel = "warn"
            return try await NginxGateway(options, upstreamPort: upstreamPort)
        }
        func way(_ name: String, _ gateway: NginxGateway) throws -> ColdWay {
            ColdWay(
                gateway: gateway,
                ours: Variant("cold ipps://, \(name)", try TransportSender(gateway.secureURI, trust: trust)),
                bare: Variant("bare OpenSSL, \(name)", try BareSender(port: gateway.port, authority: authority.root)))
        }
        warm = [try await start(nil), try await start(.p256)]
        plain = Variant("warm ipp://", try TransportSender(warm[0].uri))
        secure = Variant("warm ipps://", try TransportSender(warm[1].secureURI, trust: trust))
        coldPlain = try await start(nil, isCold: true)
        plainOnce = Variant("cold ipp://", try TransportSender(coldPlain.uri))
        barePlainOnce = Variant("bare sockets, plain", try BareSender(port: coldPlain.port))
        var cold: [Cold] = []
        for version in ["TLSv1.3", "TLSv1.2"] {
            for key in TestCertificate.Key.allCases {
                let name = "\(version) \(key)"
                let resuming = try way("resumed, \(name)", try await start(key, version: version, isCold: true))
                let full = try way(
                    "full handshake, \(name)", try await start(key, version: version, isCold: true, resumes: false))
                cold.append(Cold(name: name, resuming: resuming, full: full))
            }
        }
        self.cold = cold
    }

    func comparison(only words: String?) -> Comparison {
        let coldOnes = cold.flatMap { [$0.resuming.ours, $0.full.ours, $0.resuming.bare, $0.full.bare] }
        return Comparison(
            "Through nginx to a printer that does nothing", [plain, secure, plainOnce, barePlainOnce] + coldOnes,
            only: words)
    }

    /// Whether nginx saw what the names of the ways say.
    func check() throws {
        for (way, isResumed) in cold.flatMap({ [($0.resuming, true), ($0.full, false)] }) {
            // Ours and the bare client each begin in full.
            let seen = try way.gateway.requests()
            let fullOnes = seen.count { !$0.isSessionReused }
            guard seen.allSatisfy({ $0.requestOfConnection == 1 }), isResumed ? fullOnes <= 2 : fullOnes == seen.count
            else {
                throw TestSupportError("nginx saw \(seen.count - fullOnes) of \(seen.count) connections resumed")
            }
        }
        for gateway in warm where Set(try gateway.requests().map(\.connection)).count > 1 {
            throw TestSupportError("a warm way took more than one connection")
        }
    }

    /// The README's tables.
    func summary() -> String {
        var text = """
            | through nginx | median | |
            |---|---|---|
            | warm `ipp://` | \(plain.median.milliseconds) | |
            | warm `ipps://` | \(secure.median.milliseconds) | / warm `ipp://` (at most 1.3): \((secure.median / plain.median).verdict(1.3)) |
            | cold `ipp://` | \(plainOnce.median.milliseconds) | bare sockets: \(barePlainOnce.median.milliseconds) |

            | cold `ipps://` | resumed | full | ratio (at most 0.5) | TLS alone | bare OpenSSL: resumed | full | ratio | TLS alone |
            |---|---|---|---|---|---|---|---|---|

            """
        for way in cold {
            let ours = columns(way.resuming.ours.median, way.full.ours.median, plain: plainOnce.median) {
                $0.verdict(0.5)
            }
            let bare = columns(way.resuming.bare.median, way.full.bare.median, plain: barePlainOnce.median) {
                $0.twoPlaces
            }
            text += "| \(way.name) | \(ours) | \(bare) |\n"
        }
        return text
    }

    /// Of receipts as a whole, and of what TLS adds to a cold plain one.
    private func columns(_ resumed: Double, _ full: Double, plain: Double, _ verdict: (Double) -> String) -> String {
        let ratios = [resumed / full, (resumed - plain) / (full - plain)]
        return ([resumed, full].map(\.milliseconds) + ratios.map(verdict)).joined(separator: " | ")
    }
}
