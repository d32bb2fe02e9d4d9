import Testing

@testable import SSH

@Suite struct HostKeyAlgorithmsTests {
    private static let old = ["ecdsa-sha2-nistp256", "ssh-ed25519", "ssh-rsa"]
    private static let new = ["ecdsa-sha2-nistp256", "ssh-ed25519", "rsa-sha2-512", "rsa-sha2-256", "ssh-rsa"]

    @Test(arguments: [
        (["ssh-rsa"], old, ["ssh-rsa", "ecdsa-sha2-nistp256", "ssh-ed25519"]),
        (["ssh-rsa"], new, ["rsa-sha2-512", "rsa-sha2-256", "ssh-rsa", "ecdsa-sha2-nistp256", "ssh-ed25519"]),
        (["ssh-rsa", "ssh-ed25519"], ["ssh-ed25519", "rsa-sha2-256"], ["rsa-sha2-256", "ssh-ed25519"]),
        (
            ["ssh-ed25519", "ssh-unheard-of", "ssh-rsa", "ssh-rsa"], new,
            ["ssh-ed25519", "rsa-sha2-512", "rsa-sha2-256", "ssh-rsa", "ecdsa-sha2-nistp256"]
        ),
        ([], new, new),
        (["ssh-rsa"], [], []),
    ])
    func `a known RSA key is asked for with every signature that libssh2 knows of it`(
        _ types: [String], _ supported: [String], _ order: [String]
    ) {
        #expect(HostKeyAlgorithms.signatures(of: types, supported: supported) == order)
    }
}
