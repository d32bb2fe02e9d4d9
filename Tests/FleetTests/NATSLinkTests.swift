import Foundation
import KioskTestSupport
import Testing

@testable import KioskFleet

@Suite struct NATSLinkTests {
    private func link(
        _ servers: [String], _ authentication: NATSLink.Options.Authentication = .none
    ) throws -> NATSLink {
        var options = NATSLink.Options.test(servers)
        (options.authentication, options.inboxPrefix) = (authentication, "_IN.0147")
        return try NATSLink(options)
    }

    /// Waits until the server knows a subscription of the link's: it then says no more that there are no responders.
    private func waitUntilKnown(_ subject: String, _ link: NATSLink) async throws {
        try await eventually("the subscription to be known") {
            do {
                _ = try await link.request(HubMessage(subject: subject), timeout: .milliseconds(50))
                return true
            } catch let error as FleetError { return error.code == .noResponse }
        }
    }

    @Test func `nothing waits for a hub that is not there, and it is found once it is`() async throws {
        let server = try await NATSServer(.debian)
        try await server.kill()
        let link = try link([server.url])
        defer { link.close() }
        #expect(!link.isConnected)
        let away = await #expect(throws: FleetError.self) {
            try await link.request(HubMessage(subject: "a"), timeout: .seconds(60))
        }
        #expect(away?.code == .notConnected)
        try await server.start()
        try await eventually("the link to reach the hub") { link.isConnected }
    }

    @Test func `a request ends with its response, its timeout, or its task`() async throws {
        let server = try await NATSServer(.debian)
        let (asker, responder) = (try link([server.url]), try link([server.url]))
        defer {
            asker.close()
            responder.close()
        }
        try await eventually("the links to reach the hub") { asker.isConnected && responder.isConnected }
        let asked = try responder.messages(of: "question.*", maximum: 10)
        try await waitUntilKnown("question.known", responder)
        async let response = asker.request(
            HubMessage(subject: "question.ours", headers: ["Kioskd-Name": "Grüße"], body: [7]), timeout: .seconds(120))
        for await question in asked where question.subject == "question.ours" {
            #expect(question.headers == ["Kioskd-Name": "Grüße"] && question.body == [7])
            let reply = try #require(question.replySubject)
            #expect(reply.hasPrefix("_IN.0147."))
            try responder.publish(HubMessage(subject: reply, body: [8, 0, 9]))
            break
        }
        #expect(try await response.body == [8, 0, 9])

        let others = try responder.messages(of: "question.*", maximum: 10)
        let late = await #expect(throws: FleetError.self) {
            try await asker.request(HubMessage(subject: "question.late"), timeout: .milliseconds(20))
        }
        #expect(late?.code == .noResponse || late?.code == .noResponders)
        try await waitUntilKnown("question.known", responder)
        let cancelled = Task {
            try await asker.request(HubMessage(subject: "question.cancelled"), timeout: .seconds(600))
        }
        for await question in others where question.subject == "question.cancelled" { break }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
    }

    @Test func `what waits for a response ends with the connection`() async throws {
        let server = try await NATSServer(.debian)
        let (asker, silent) = (try link([server.url]), try link([server.url]))
        try await eventually("the links to reach the hub") { asker.isConnected && silent.isConnected }
        let asked = try silent.messages(of: "question", maximum: 10)
        let waiting = Task {
            while true {
                do {
                    return try await asker.request(HubMessage(subject: "question"), timeout: .seconds(600))
                } catch let error as FleetError where error.code == .noResponders { continue }
            }
        }
        for await _ in asked { break }
        asker.close()
        let ended = await #expect(throws: FleetError.self) { _ = try await waiting.value }
        #expect(ended?.code == .notConnected)
        #expect(!asker.isConnected)
        // So do sequences of messages.
        let unheard = try silent.messages(of: "nobody", maximum: 1)
        silent.close()
        for await _ in unheard { Issue.record("nobody sent anything") }
    }

    @Test func `who has no rights does not come in`() async throws {
        let server = try await NATSServer(
            .debian, more: "authorization { user: office, password: \"s3cret\", timeout: 300 }")
        var options = NATSLink.Options.test([server.url])
        options.authentication = .user("office", password: "s3cret")
        try await NATSLink.connectOnce(options).close()
        options.authentication = .user("office", password: "other")
        let refusal = await #expect(throws: FleetError.self) { try await NATSLink.connectOnce(options) }
        #expect(refusal?.code == .notPermitted && refusal?.description == "Authorization Violation")
    }

    @Test func `a hub that breaks a login off, or is not there, has refused nobody`() async throws {
        let server = try await NATSServer(.debian)
        let relay = try await TCPRelay(to: server.port)
        try await server.kill()
        for url in ["nats://127.0.0.1:\(relay.port)", server.url] {
            let away = await #expect(throws: FleetError.self) { try await NATSLink.connectOnce(.test([url])) }
            #expect(away?.code == .notConnected, "\(String(describing: away))")
        }
        // Nor has one that says nothing.
        try await relay.cut()
        var options = NATSLink.Options.test(["nats://127.0.0.1:\(relay.port)"])
        options.connectTimeout = .milliseconds(50)
        let silent = await #expect(throws: FleetError.self) { try await NATSLink.connectOnce(options) }
        #expect(silent?.code == .notConnected, "\(String(describing: silent))")
    }

    @Test(arguments: FailingHub.Failure.allCases)
    func `a login that fails at any point is made again`(_ failure: FailingHub.Failure) async throws {
        let hub = try await FailingHub(failure)
        let link = try await NATSLink.connect(hub.options)
        defer { link.close() }
        // The second login shows that the first one has ended.
        try await eventually("two logins to fail") { hub.failures >= 2 }
        #expect(!link.isConnected)
        // In the meantime nothing waits for libnats.
        let refused = #expect(throws: FleetError.self) { try link.messages(of: "a", maximum: 1) }
        #expect(refused?.code == .notConnected)
        // Who connects once is told.
        let once = await #expect(throws: FleetError.self) { try await NATSLink.connectOnce(hub.options) }
        #expect(once?.code == .notConnected, "\(String(describing: once))")
    }

    @Test func `who connects once is told of a certificate that nobody vouches for`() async throws {
        let hub = try await FailingHub(.silentOverTLS)
        var options = hub.options
        options.connectTimeout = .seconds(300)
        options.tls = .authorities(file: try await TestAuthority.selfSigned().certificate)
        let refusal = await #expect(throws: FleetError.self) { try await NATSLink.connectOnce(options) }
        #expect(refusal?.code == .notPermitted)
        let reason = refusal?.description ?? ""
        #expect(reason.hasPrefix("SSL handshake error: 18:self-signed certificate:depth=0:cert="), "\(reason)")
        #expect(reason.hasSuffix("CN=localhost"), "\(reason)")
        try await hub.end()
    }

    @Test func `a link comes back from a hub that fell silent in a login`() async throws {
        let server = try await NATSServer(.debian)
        var options = NATSLink.Options.test([server.url])
        options.connectTimeout = .seconds(2)
        let link = try await eventuallyValue("the link") { [options] in try? await NATSLink.connectOnce(options) }
        defer { link.close() }
        try await server.kill()
        let hub = try await FailingHub(.silent, port: server.port)
        try await eventually("two logins to fail") { hub.failures >= 2 }
        try await hub.end()
        try await server.start()
        try await eventually("the link to reach the hub") { link.isConnected }
    }

    @Test func `a hub that takes nothing more breaks the connection`() async throws {
        let server = try await NATSServer(.debian)
        var options = NATSLink.Options.test([server.url])
        (options.connectTimeout, options.writeTimeout) = (.seconds(2), .milliseconds(100))
        let link = try await eventuallyValue("the link") { [options] in try? await NATSLink.connectOnce(options) }
        defer { link.close() }
        try server.suspend()
        let message = HubMessage(subject: "a", body: Array(repeating: 0, count: 1_000_000))
        // What the systems on both sides keep is still taken.
        let failure = #expect(throws: FleetError.self) {
            while true { try link.publish(message) }
        }
        #expect(failure?.code == .notConnected)
        try await link.waitForDisconnection()
    }

    @Test func `a hub without an address is refused`() {
        let refusal = #expect(throws: FleetError.self) { try link([]) }
        #expect(refusal?.code == .invalidAddress)
    }
}
