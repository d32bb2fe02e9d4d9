/// A web server of Debian's in front of a printer, on loopback; the printer is at `/ipp/print`.
package protocol PrinterGateway: Sendable {
    var port: Int { get }
    var running: RunningChild { get }
}

extension PrinterGateway {
    package var uri: String { "ipp://localhost:\(port)/ipp/print" }
    package var secureURI: String { "ipps://localhost:\(port)/ipp/print" }
    /// What it says about itself, refused handshakes too.
    package var log: String { running.child?.standardError ?? "" }

    /// Ends it; its connections break, and its port refuses until it is started again.
    package func stop() async throws {
        guard let child = running.child else { return }
        child.kill()
        try await child.wait()
        running.child = nil
    }
}

/// A name and a password that a gateway asks for.
package struct TestLogin: Sendable {
    package var user: String
    package var password: String

    package init(_ user: String, _ password: String) {
        self.user = user
        self.password = password
    }
}
