import Foundation
import TestSupport
import Testing

/// A till starts kioskctl once for each receipt: what it links, it loads each time.
@Suite struct KioskctlLinkingTests {
    private static let unwanted = ["icu", "internationalization", "sqlite", "libfoundation.so", "libssl", "libcrypto"]

    @Test func `loads neither ICU nor SQLite nor OpenSSL nor full Foundation`() async throws {
        let ldd = try InstalledProgram.path("ldd", package: "libc-bin")
        let result = try await ChildProcess.run(ldd, [BuiltProducts.path("kioskctl")])
        #expect(result.end == .exited(0))
        let libraries = result.standardOutput.lowercased()
        #expect(libraries.contains("libc.so"))
        for name in Self.unwanted { #expect(!libraries.contains(name), "\(name) in \(libraries)") }
    }

    /// Mangled names hold a module's name behind its length.
    @Test(arguments: [
        "4GRDB", "sqlite3_open", "uloc_getDefault", "30FoundationInternationalization", "11KioskEngine",
        "15PrinterRegistry", "16SimulatedPrinter", "8Receipts", "15ReceiptPrinting", "SSL_new",
    ])
    func `holds no symbol of what it must not need`(_ symbol: String) throws {
        let program = try Data(contentsOf: URL(fileURLWithPath: BuiltProducts.path("kioskctl")), options: .alwaysMapped)
        #expect(program.range(of: Data("8KioskAPI".utf8)) != nil)
        #expect(program.range(of: Data(symbol.utf8)) == nil)
    }
}
