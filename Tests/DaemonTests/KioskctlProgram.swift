import Foundation
import KioskAPI
import TestSupport

/// The built program, run against a server that says what a test wants.
enum KioskctlProgram {
    static func run(
        _ arguments: [String], _ server: ScriptedServer? = nil, environment: [String: String] = [:], input: String = ""
    ) async throws -> ChildProcess.Result {
        let socket = server?.path ?? "/nonexistent/kioskd.sock"
        return try await ChildProcess.run(
            BuiltProducts.path("kioskctl"), arguments,
            environment: ["KIOSKD_SOCKET": socket].merging(environment) { $1 }, input: input)
    }

    /// A server that gives these answers in order, whatever it is asked.
    static func server(_ answers: [String]) throws -> ScriptedServer {
        try ScriptedServer { peer in
            for answer in answers {
                try peer.readRequest()
                try peer.answer(json: answer)
            }
            _ = peer.waitForEnd()
        }
    }

    static func refusing(_ problem: Problem) throws -> ScriptedServer {
        let json = try Samples.json(problem)
        return try ScriptedServer { peer in
            try peer.readRequest()
            try peer.answerProblem("\(problem.status) No", json)
        }
    }
}
