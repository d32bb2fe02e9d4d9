import KioskIPP
import KioskPrintModel
import KioskTestSupport
import Testing

/// Credentials by name, as the secrets file holds them.
struct SavedCredentials: CredentialSource {
    var byName: [String: Credentials]

    /// The credentials named `gateway`.
    init(_ login: TestLogin? = nil, _ clientCertificate: Credentials.ClientCertificate? = nil) {
        byName = [
            "gateway": Credentials(
                user: login?.user, password: login.map { Secret($0.password) }, clientCertificate: clientCertificate)
        ]
    }

    func credentials(named name: String) async throws -> Credentials {
        guard let found = byName[name] else { throw CredentialError("there are no credentials named \(name)") }
        return found
    }
}

/// Runs a test with a transport that has credentials, and shuts it down afterwards.
func withTransport(_ credentials: SavedCredentials, _ body: (IPPTransport) async throws -> Void) async throws {
    try await use(IPPTransport(credentials: credentials, deadlines: .patient), body)
}

extension PrinterTarget {
    /// The printer at `uri`, with a login by the credentials named `gateway`.
    static func gateway(_ uri: String, trust: Trust = .system) throws -> PrinterTarget {
        PrinterTarget(url: try PrinterURL(uri), credentials: "gateway", trust: trust)
    }

    /// The printer at `uri`, without a login.
    static func open(_ uri: String, trust: Trust = .system) throws -> PrinterTarget {
        PrinterTarget(url: try PrinterURL(uri), trust: trust)
    }
}

extension IPPTransport {
    /// Prints and follows the job to its end.
    @discardableResult
    func print(_ document: [UInt8], on printer: PrinterTarget, id: String = "k1") async throws -> JobReport {
        let taken = try await deliver(.receipt(id, document), to: printer) { _ in }
        return try await follow(try #require(taken.remoteJob), on: printer) { _ in }
    }

    /// The error of a delivery that must fail.
    func refusal(of printer: PrinterTarget) async throws -> TransportError {
        let error = try await #require(throws: TransportError.self) {
            try await self.deliver(.receipt("k1", GatewaySample.receipt), to: printer) { _ in }
        }
        #expect(error.bytesAccepted == 0)
        #expect(error.message.contains("\(printer.url)"), "names the printer: \(error.message)")
        return error
    }
}

enum GatewaySample {
    static let receipt = [UInt8]("\u{1B}@Coffee 2.50\n".utf8)
    /// Longer than one chunk, and than what gateways buffer in memory.
    static let long = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ ($0 >> 8)) }
}

extension EvePrinter {
    /// The contents of the documents that it kept.
    func kept() throws -> [[UInt8]] { try keptFiles().map { try readFile($0) } }
}
