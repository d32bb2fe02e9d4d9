import FoundationEssentials
import KioskTestSupport

@testable import KioskFleet

/// A hub of three `nats-server` on loopback: each message is kept by all of them, and stored once two have it.
enum NATSCluster {
    /// Until the three have chosen a leader no stream can be made.
    static func start(_ version: NATSServer.Version) async throws -> [NATSServer] {
        let routes = try (1...3).map { _ in try freePort() }
        var servers: [NATSServer] = []
        for (index, route) in routes.enumerated() {
            // Not advertised: clients are to go by the ways that they were given.
            servers.append(
                try await NATSServer(
                    version,
                    more: """
                        server_name: "\(name(of: index))"
                        \(version == .current ? "logtime_utc: true" : "")
                        cluster {
                            name: hub
                            listen: "127.0.0.1:\(route)"
                            routes: [\(routes.map { "\"nats://127.0.0.1:\($0)\"" }.joined(separator: ", "))]
                            no_advertise: true
                        }
                        """))
        }
        return servers
    }

    private static func name(of index: Int) -> String { "hub-\(index + 1)" }

    private struct StreamAnswer: Decodable {
        struct Cluster: Decodable {
            var leader: String?
        }
        var cluster: Cluster?
    }

    /// When the servers that run became the leader of a stream, as they have logged it: in ns since 1970 by the hub's
    /// clock, in order.
    static func elections(of stream: String, among servers: [NATSServer]) -> [Int64] {
        servers.flatMap { $0.log.split(separator: "\n") }
            .filter { $0.contains("new stream leader for") && $0.contains(" > \(stream)'") }
            .compactMap { line in
                // [1234] 2026/11/28 08:59:43.573098 [INF] JetStream cluster new stream leader for '$G > KV_LEASE'
                let words = line.split(separator: " ")
                guard words.count > 2 else { return nil }
                return JetStream.time(ofText: "\(words[1].replacing("/", with: "-"))T\(words[2])Z")
            }
            .sorted()
    }

    /// Which of the servers leads a stream; nil while none does.
    static func leader(of stream: String, among servers: [NATSServer], at jetStream: JetStream) async throws -> Int? {
        let question = HubMessage(subject: "$JS.API.STREAM.INFO.\(stream)")
        do {
            let answer = try await jetStream.link.request(question, timeout: jetStream.timeout)
            let leader = try JSONDecoder().decode(StreamAnswer.self, from: Data(answer.body)).cluster?.leader
            return servers.indices.first { name(of: $0) == leader }
        } catch let error as FleetError where error.isRetryable {
            return nil
        }
    }
}
