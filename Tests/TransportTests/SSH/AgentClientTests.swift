import KioskTestSupport
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import KioskSSH

/// Responses of an ssh-agent that a real one never gives.
@Suite("SSH: an agent that is out of step", .timeLimit(.minutes(10)))
struct AgentClientTests {
    /// SSH_AGENT_IDENTITIES_ANSWER without keys.
    private static let noKeys: [UInt8] = [0, 0, 0, 5, 12, 0, 0, 0, 0]

    private let eventLoop = MultiThreadedEventLoopGroup.singleton.next()

    private func keyCount(_ client: AgentClient) async throws -> Int {
        let promise = eventLoop.makePromise(of: Int.self)
        eventLoop.execute {
            client.keys().whenComplete { result in
                promise.completeWith(result.map(\.count).mapError { $0 as any Error })
            }
        }
        return try await promise.futureResult.get()
    }

    @Test func `responses on one connection are told apart`() async throws {
        let agent = try await ScriptedAgent { _ in Self.noKeys }
        let client = AgentClient(socket: agent.socket, eventLoop: eventLoop)
        for _ in 0..<3 { #expect(try await keyCount(client) == 0) }
        #expect(agent.connections == 1)
    }

    @Test(arguments: [[0], noKeys, noKeys + [0, 0]])
    func `what follows a whole response is taken for no other, and the next request has its own connection`(
        rest: [UInt8]
    ) async throws {
        let agent = try await ScriptedAgent { $0 == 1 ? Self.noKeys + rest : Self.noKeys }
        let client = AgentClient(socket: agent.socket, eventLoop: eventLoop)
        #expect(try await keyCount(client) == 0)
        #expect(try await keyCount(client) == 0)
        #expect(agent.connections == 2)
    }

    @Test func `so has a request that is sent at the response itself`() async throws {
        let agent = try await ScriptedAgent { $0 == 1 ? Self.noKeys + [0] : Self.noKeys }
        let client = AgentClient(socket: agent.socket, eventLoop: eventLoop)
        let promise = eventLoop.makePromise(of: Int.self)
        eventLoop.execute {
            client.keys().whenComplete { _ in
                client.keys().whenComplete { result in
                    promise.completeWith(result.map(\.count).mapError { $0 as any Error })
                }
            }
        }
        #expect(try await promise.futureResult.get() == 0)
        #expect(agent.connections == 2)
    }
}

/// A Unix socket that responds to each request of a connection with the same bytes. Listens until it is released.
private final class ScriptedAgent: Sendable {
    let socket: String
    private let folder: TemporaryFolder
    private let channel: any Channel
    private let counter: Counter

    private final class Counter: Sendable {
        let count = Mutex(0)
    }

    private final class Responder: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer
        private let response: [UInt8]

        init(_ response: [UInt8]) { self.response = response }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: response)), promise: nil)
        }
    }

    /// `response` gets the number of the connection, from 1.
    init(_ response: @escaping @Sendable (Int) -> [UInt8]) async throws {
        folder = try TemporaryFolder("agent")
        socket = folder.appending("socket")
        let counter = Counter()
        self.counter = counter
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                let number = counter.count.withLock { count in
                    count += 1
                    return count
                }
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Responder(response(number)))
                }
            }
            .bind(unixDomainSocketPath: socket).get()
    }

    deinit { channel.close(promise: nil) }

    /// The connections so far.
    var connections: Int { counter.count.withLock(\.self) }
}
