import KioskBackup
import Testing

/// What of a CA file an export shows.
@Suite struct CertificateBlocksTests {
    private static let block = "-----BEGIN CERTIFICATE-----\nMIIB+/09==\n-----END CERTIFICATE-----\n"

    @Test func `certificates are kept, and what stands around them is not`() {
        let text = "subject=CN = Printers\n\(Self.block)\npassword: secret\n\(Self.block)"
        #expect(CertificateBlocks.text(in: Array(text.utf8)) == Self.block + Self.block)
        let lines = Self.block.split(separator: "\n").joined(separator: " \r\n")
        #expect(CertificateBlocks.text(in: Array(lines.utf8)) == Self.block)
        #expect(CertificateBlocks.text(in: Array(Self.block.utf8)) == Self.block)
    }

    @Test(arguments: [
        "", "office: { user: kiosk, password: secret }\n",
        "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n",
        "-----BEGIN CERTIFICATE-----\npassword: secret\n-----END CERTIFICATE-----\n",
        "-----BEGIN CERTIFICATE-----\nMIIB\n", "MIIB\n-----END CERTIFICATE-----\n",
        "# -----BEGIN CERTIFICATE-----\nMIIB\n# -----END CERTIFICATE-----\n",
    ])
    func `a file without a certificate shows nothing`(_ text: String) {
        #expect(CertificateBlocks.text(in: Array(text.utf8)).isEmpty)
    }
}
