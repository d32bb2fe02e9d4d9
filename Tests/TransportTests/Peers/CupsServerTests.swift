import KioskTestSupport
import Testing

/// The private CUPS as ipptool and curl see it.
@Suite struct CupsServerTests {
    @Test func `its queue keeps what it prints`() async throws {
        let folder = try TemporaryFolder()
        let receipt = try folder.write("one receipt\n", to: "receipt.txt")
        let server = try await CupsServer()
        let printed = try await Ipptool.run("print-job.test", on: server.uri, file: receipt)
        #expect(printed.end.isSuccess, "\(printed.standardOutput)\(server.log)")
        try await eventually("the job") { try server.printScript.startedJobs().count == 1 }
        #expect(try server.keptFiles().map { try readFile($0) } == [Array("one receipt\n".utf8)])
    }

    @Test func `it takes subscriptions and gives notifications`() async throws {
        let folder = try TemporaryFolder()
        let receipt = try folder.write("one receipt\n", to: "receipt.txt")
        let subscribe = try folder.write(
            """
            {
                OPERATION Create-Printer-Subscription
                GROUP operation-attributes-tag
                ATTR charset attributes-charset utf-8
                ATTR language attributes-natural-language en
                ATTR uri printer-uri $uri
                GROUP subscription-attributes-tag
                ATTR keyword notify-pull-method ippget
                ATTR keyword notify-events job-state-changed,job-completed
                STATUS successful-ok
                EXPECT notify-subscription-id WITH-VALUE 1
            }

            """, to: "subscribe.test")
        let server = try await CupsServer()
        let made = try await Ipptool.run(subscribe, on: server.uri)
        #expect(made.end.isSuccess, "\(made.standardOutput)\(server.log)")
        _ = try await Ipptool.run("print-job.test", on: server.uri, file: receipt)
        try await eventually("the notification") {
            try await Ipptool.run("get-notifications.test", on: server.uri, variables: ["id": "1"], options: ["-tv"])
                .standardOutput.contains("notify-subscribed-event (keyword) = job-completed")
        }
    }

    @Test(.enabled(if: CupsServer.outsideAddress != nil, "cupsd demands TLS from nobody on loopback"))
    func `it demands TLS from those outside loopback, and upgrades their connection`() async throws {
        let address = try #require(CupsServer.outsideAddress)
        let (server, _, authority) = try await CupsServer.demandingTLS(at: address)
        let refused = try await CurlRequest.send(server.uri(scheme: "ipp", at: address))
        #expect(refused.status == 426, "\(refused.log)")
        #expect(refused.log.contains("Upgrade: TLS/"))

        let upgraded = try await Ipptool.run(
            "get-jobs.test", on: server.uri(scheme: "ipp", at: address), options: ["-t", "-T", "20"])
        #expect(upgraded.end.isSuccess, "\(upgraded.standardOutput)\(upgraded.standardError)\(server.log)")
        let secure = try await CurlRequest.send(server.uri(scheme: "ipps", at: address), ["--cacert", authority.root])
        #expect(secure.status == 200, "\(secure.log)")
    }
}
