import Foundation
import KioskAPI
import KioskTestSupport

/// Runs the built program against a scripted server.
enum KioskctlProgram {
    static func run(
        _ arguments: [String], _ server: ScriptedServer? = nil, environment: [String: String] = [:], input: String = ""
    ) async throws -> ChildProcess.Result {
        let socket = server?.path ?? "/nonexistent/kioskd.sock"
        return try await ChildProcess.run(
            BuiltProducts.path("kioskctl"), arguments,
            environment: ["KIOSKD_SOCKET": socket].merging(environment) { $1 }, input: input)
    }

    /// A server that gives these responses in order, whatever the requests are.
    static func server(_ responses: [String]) throws -> ScriptedServer {
        try ScriptedServer { peer in
            for response in responses {
                try peer.readRequest()
                try peer.respond(json: response)
            }
            _ = peer.waitForEnd()
        }
    }

    static func refusing(_ problem: Problem) throws -> ScriptedServer {
        let json = try Samples.json(problem)
        return try ScriptedServer { peer in
            try peer.readRequest()
            try peer.respondProblem("\(problem.status) No", json)
        }
    }
}
