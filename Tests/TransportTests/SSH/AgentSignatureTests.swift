import Testing

@testable import SSH

@Suite struct AgentSignatureTests {
    private static func request(_ algorithm: String, method: String = "publickey") -> [UInt8] {
        var writer = WireWriter()
        writer.string([1, 2, 3])
        writer.byte(50)
        for word in ["till", "ssh-connection", method] { writer.string(Array(word.utf8)) }
        writer.byte(1)
        writer.string(Array(algorithm.utf8))
        writer.string([4, 5, 6])
        return writer.octets
    }

    @Test(
        arguments: [("ssh-rsa", 0), ("rsa-sha2-256", 2), ("rsa-sha2-512", 4), ("ssh-ed25519", 0)] as [(String, UInt32)])
    func `an agent is asked for the signature that the login names`(_ algorithm: String, _ flags: UInt32) {
        #expect(AgentClient.flags(forSigning: Self.request(algorithm)) == flags)
    }

    @Test func `what is no login asks for nothing special, wherever it ends`() {
        let request = Self.request("rsa-sha2-512")
        for count in 0..<request.count - 7 { #expect(AgentClient.flags(forSigning: Array(request.prefix(count))) == 0) }
    }
}
