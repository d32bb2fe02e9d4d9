import Foundation
import KioskAPIMessages
import KioskDaemonSupport
import KioskTestSupport
import Testing

/// A temporary folder with an export file and its passphrase, and the commands that use them.
struct BackupFixture {
    let folder: TemporaryFolder
    let passphraseFile: String
    var file: String { folder.appending("kiosk.export") }

    init() throws {
        folder = try TemporaryFolder("backup")
        passphraseFile = try folder.writePrivately(Array("correct horse battery staple\n".utf8), to: "passphrase")
    }

    /// Writes an export with secrets; returns the file's path.
    @discardableResult
    func export(_ daemon: KioskdFixture) async throws -> String {
        let result = try await daemon.kioskctl(
            "export", "--secrets", "--passphrase-file", passphraseFile, "--output", file)
        #expect(result.end == .exited(0), "\(result.standardError)")
        return file
    }

    func importExport(
        _ daemon: KioskdFixture, _ more: [String] = [], file: String? = nil
    ) async throws -> ChildProcess.Result {
        try await ChildProcess.run(
            try BuiltProducts.path("kioskctl"),
            ["import", file ?? self.file, "--passphrase-file", passphraseFile] + more,
            environment: ["KIOSKD_SOCKET": daemon.socket])
    }

    func report(_ daemon: KioskdFixture, _ more: [String] = []) async throws -> ImportReport {
        let result = try await importExport(daemon, ["--json"] + more)
        #expect(result.end == .exited(0), "\(result.standardError)")
        return try APIJSON.decode(ImportReport.self, from: Array(result.standardOutput.utf8))
    }
}

/// A daemon with printers that are away, a login with a password, a key and a CA file, and a token.
struct KioskToExport {
    static let password = "PASSWORD-7f3aa91c"

    let daemon: KioskdFixture
    let token: String

    init(_ arguments: [String] = []) async throws {
        let folder = try TemporaryFolder("kioskd")
        try folder.writePrivately(Array("KEY \(Self.password)".utf8), to: "gateway.key")
        try folder.write("-----BEGIN CERTIFICATE-----\nA\n-----END CERTIFICATE-----\n", to: "ca.pem")
        try folder.write("-----BEGIN CERTIFICATE-----\nB\n-----END CERTIFICATE-----\n", to: "gateway.pem")
        try folder.writePrivately(
            Array(
                """
                office: { user: kiosk, password: \(Self.password) }
                gateway: { client-certificate: gateway.pem, client-key: gateway.key }
                """.utf8), to: "secrets.yaml")
        let port = try freePort()
        daemon = try await KioskdFixture(
            folder: folder,
            registry: """
                version: 1
                printers:
                  - { id: office, url: "ipps://localhost:\(port)/ipp/print", credentials: office, trust: "ca:\(folder.path)/ca.pem" }
                  - { id: gateway, url: "ipps://localhost:\(port)/", credentials: gateway, trust: ask }
                  - { id: till, url: "ipp://localhost:\(port)/ipp/print", location: Front desk }
                roles:
                  document: { printers: [office], page-limit: 20 }
                  receipt: { printers: [till], expires-after: 10m }
                """,
            arguments: arguments)
        let made = try await daemon.curlJSON("POST", "/v1/tokens", #"{"name":"till-1","scopes":["print:receipt"]}"#)
        token = try made.json(NewToken.self).secret
    }

    /// Takes away the CA file, as it is on another machine.
    func forgetAuthority() throws { try FileManager.default.removeItem(atPath: daemon.folder.appending("ca.pem")) }
}

extension KioskdFixture {
    /// The TCP port, once the daemon listens on it.
    func port() async throws -> Int {
        try await eventuallyValue("the daemon to listen over TCP") {
            log.firstMatch(of: /listening at https?:\/\/[^ ]*:([0-9]+)\n/).flatMap { Int($0.1) }
        }
    }
}

extension TemporaryFolder {
    /// The files that an import may touch, by name; the names of versions and times differ.
    func filesOfImports() throws -> [String: [UInt8]] {
        let names = try #require(FileManager.default.enumerator(atPath: path)).compactMap { $0 as? String }
        let wanted = names.filter { name in
            ["printers.yaml", "secrets.yaml", "tokens.json"].contains(name) || name.hasPrefix("tls/")
                || name.hasPrefix("keys/") || name.hasPrefix("trust/")
        }
        return try Dictionary(uniqueKeysWithValues: wanted.map { ($0, try read($0)) })
    }

    func permissions(of name: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: appending(name))[.posixPermissions] as? Int)
    }
}
