import KioskPrintModel
import KioskTestSupport
import NIOPosix
import Testing

@testable import KioskSNMP

/// Queries over UDP: of a real agent, and of agents that are silent or mean harm.
@Suite struct SNMPAgentTests {
    /// Long where a response comes, so that a slow machine fails no test.
    private static func agent(
        _ port: Int, community: String = "public", host: String = "127.0.0.1",
        _ change: (inout SNMPAgent.Deadlines) -> Void = { _ in }
    ) -> SNMPAgent {
        var deadlines = SNMPAgent.Deadlines()
        (deadlines.repetition, deadlines.silence, deadlines.query) = (.seconds(60), .seconds(120), .seconds(240))
        change(&deadlines)
        return SNMPAgent(
            host: host, port: port, community: community, deadlines: deadlines,
            group: MultiThreadedEventLoopGroup.singleton)
    }

    private static func isShort(_ deadlines: inout SNMPAgent.Deadlines) {
        (deadlines.repetition, deadlines.silence) = (.milliseconds(20), .milliseconds(40))
    }

    @Test(.enabled(if: SNMPDaemon.obstacle == nil, "snmpd is missing"), arguments: ["127.0.0.1", "localhost"])
    func `Debian's snmpd is asked to its end`(host: String) async throws {
        let daemon = try await SNMPDaemon(SNMPDaemon.printer(errors: "0x4000"))
        guard case .report(let report) = await Self.agent(daemon.port, host: host).report() else {
            Issue.record("it is silent")
            return
        }
        #expect(report.model == "Acme Laser 4250" && report.serialNumber == "CNHXD12345")
        #expect(report.status == 3 && report.errorState == .noPaper && report.trayLevels == [0, -3])
        #expect(report.lifeCount == 123_456)
        #expect(
            report.supplies.compactMap { Supply($0) } == [
                Supply(name: "Black Toner", type: "toner", level: 42),
                Supply(name: "Waste Box", type: "waste-toner", level: 10),
            ])
    }

    @Test(.enabled(if: SNMPDaemon.obstacle == nil, "snmpd is missing"))
    func `an agent responds to its own community alone`() async throws {
        let daemon = try await SNMPDaemon(community: "till", SNMPDaemon.printer())
        let refused = await Self.agent(daemon.port, Self.isShort).report()
        #expect(refused == .silence("it does not respond"))
        guard case .report = await Self.agent(daemon.port, community: "till").report() else {
            Issue.record("it is silent")
            return
        }
    }

    @Test func `a silent agent is sent a request twice`() async throws {
        let agent = try ScriptedSNMPAgent { _ in [] }
        defer { agent.stop() }
        #expect(await Self.agent(agent.port, Self.isShort).report() == .silence("it does not respond"))
        try await eventually("both datagrams") { agent.datagrams.count == 2 }
        #expect(Set(agent.datagrams).count == 1)
    }

    @Test func `where nothing listens, that is told at once`() async throws {
        let agent = try ScriptedSNMPAgent { _ in [] }
        agent.stop()
        try await eventually("its end") {
            guard case .silence(let reason) = await Self.agent(agent.port, Self.isShort).report() else { return false }
            return reason != "it does not respond"
        }
    }

    @Test func `a lost response is asked for once more`() async throws {
        let mib = ScriptedMIB(ScriptedMIB.printer())
        let seen = Recorder<[UInt8]>()
        let agent = try ScriptedSNMPAgent { datagram in
            let isFirst = !seen.all.contains(datagram)
            seen.add(datagram)
            return isFirst ? [] : [(try? SNMPMessage(decoding: datagram)).map { mib.response(to: $0).encoded } ?? []]
        }
        defer { agent.stop() }
        let outcome = await Self.agent(agent.port) { $0.repetition = .milliseconds(10) }.report()
        guard case .report(let report) = outcome else {
            Issue.record("it is silent")
            return
        }
        #expect(report.supplies.count == 3)
    }

    @Test func `what is no response is not listened to, however much comes`() async throws {
        let agent = try ScriptedSNMPAgent { datagram in
            guard var message = try? SNMPMessage(decoding: datagram) else { return [] }
            message.kind = .response
            message.requestID &+= 1
            return [[], datagram, Array(repeating: 0x30, count: 3000), message.encoded]
        }
        defer { agent.stop() }
        #expect(await Self.agent(agent.port, Self.isShort).report() == .silence("it does not respond"))
        let flooding = try ScriptedSNMPAgent { _ in Array(repeating: [0x30, 0x00], count: 2000) }
        defer { flooding.stop() }
        guard case .silence = await Self.agent(flooding.port, Self.isShort).report() else {
            Issue.record("it counts as a response")
            return
        }
    }

    @Test func `an agent without an end is left after a bounded number of requests`() async throws {
        let agent = try ScriptedSNMPAgent { datagram in
            guard var message = try? SNMPMessage(decoding: datagram) else { return [] }
            message.kind = .response
            for index in message.variables.indices {
                message.variables[index].name.components.append(1)
                message.variables[index].value = .octets([0x40])
            }
            return [message.encoded]
        }
        defer { agent.stop() }
        guard case .report = await Self.agent(agent.port).report() else {
            Issue.record("it is silent")
            return
        }
        #expect(agent.datagrams.count <= PrinterQuery.maximumRequests)
    }

    @Test func `what was said until the end of the query's time counts`() async throws {
        let mib = ScriptedMIB(ScriptedMIB.printer([0x08]))
        let agent = try ScriptedSNMPAgent { datagram in
            guard let message = try? SNMPMessage(decoding: datagram) else { return [] }
            let isFirst = message.variables.first?.name == PrinterMIB.printerStatus
            return isFirst ? [mib.response(to: message).encoded] : []
        }
        defer { agent.stop() }
        let query = Self.agent(agent.port) {
            ($0.repetition, $0.silence) = (.milliseconds(300), .milliseconds(600))
        }
        // On a busy machine the one response may come too late as well.
        let report = try await eventuallyValue("a report") {
            if case .report(let report) = await query.report() { report } else { nil }
        }
        #expect(report.errorState == .doorOpen && report.supplies.isEmpty)
    }

    @Test func `a query ends soon when it is cancelled, and when its time is over`() async throws {
        let agent = try ScriptedSNMPAgent { _ in [] }
        defer { agent.stop() }
        let query = Task { [port = agent.port] in await Self.agent(port).report() }
        try await eventually("the request") { !agent.datagrams.isEmpty }
        query.cancel()
        #expect(await query.value == .silence("the query timed out"))
        let ended = await Self.agent(agent.port) { $0.query = .milliseconds(50) }.report()
        guard case .silence = ended else {
            Issue.record("it responds")
            return
        }
    }
}
