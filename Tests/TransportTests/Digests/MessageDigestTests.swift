import KioskDigests
import Testing

/// Message digests of the system's OpenSSL.
@Suite struct MessageDigestTests {
    /// From FIPS 180-4's example values and RFC 1321 §A.5.
    @Test(
        arguments: [
            (.sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (.md5, "", "d41d8cd98f00b204e9800998ecf8427e"),
            (.md5, "message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
        ] as [(MessageDigest.Algorithm, String, String)])
    func `the examples of the standards`(
        _ algorithm: MessageDigest.Algorithm, _ text: String, _ expected: String
    ) throws {
        #expect(try MessageDigest.hexadecimal(algorithm, of: Array(text.utf8)) == expected)
    }

    @Test func `data may come in pieces, also in empty ones`() throws {
        let data = (0..<1000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let digest = try MessageDigest(.sha256)
        for start in stride(from: 0, to: data.count, by: 64) {
            digest.update(Array(data[start..<min(start + 64, data.count)]))
            digest.update([])
        }
        #expect(try digest.hexadecimal() == MessageDigest.hexadecimal(.sha256, of: data))
    }

    @Test func `a finished digest accepts no more bytes`() async {
        await #expect(processExitsWith: .failure) {
            let digest = try MessageDigest(.sha256)
            _ = digest.finish()
            digest.update([1])
        }
    }

    @Test func `a digest that is finished twice stays the same`() throws {
        let digest = try MessageDigest(.sha256)
        digest.update(Array("abc".utf8))
        let first = digest.finish()
        #expect(first.count == 32)
        #expect(digest.finish() == first)
    }
}
