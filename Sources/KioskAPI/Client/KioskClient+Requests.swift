import NIOCore
import NIOHTTP1

extension KioskClient {
    /// Sends a request without a body, or with a JSON one, and reads the JSON of its answer.
    func request<Value: Decodable>(
        _ method: HTTPMethod, _ path: String, body: (any Encodable)? = nil, wait: Int = 0, as type: Value.Type
    ) async throws -> Value {
        try value(of: await request(method, path, body: body, wait: wait), as: type)
    }

    /// The same, for an answer whose body says nothing.
    @discardableResult
    func request(
        _ method: HTTPMethod, _ path: String, body: (any Encodable)? = nil, wait: Int = 0
    ) async throws -> ClientAnswer {
        var request = ClientRequest(
            method: method, path: path, timeout: timeout(wait: wait), isRepeatable: method != .POST
        )
        if let body {
            request.body = .bytes(ByteBuffer(bytes: try APIJSON.encode(body)))
            request.headers = [("Content-Type", APIMediaTypes.json)]
        }
        return try checked(await exchange(request))
    }

    func timeout(wait: Int) -> TimeAmount {
        TimeAmount(options.answerTimeout + .seconds(wait))
    }

    /// Throws what the daemon refused.
    func checked(_ answer: ClientAnswer) throws -> ClientAnswer {
        guard !(200..<300).contains(answer.status) else { return answer }
        guard answer.contentType?.hasPrefix(APIMediaTypes.problem) == true,
            let problem = try? APIJSON.decode(Problem.self, from: answer.body.readableBytesView)
        else {
            throw KioskClientError.violation("it answered with status \(answer.status) and no problem details", socket)
        }
        throw KioskClientError.refused(problem, socket)
    }

    func value<Value: Decodable>(of answer: ClientAnswer, as type: Value.Type) throws -> Value {
        do {
            return try APIJSON.decode(type, from: answer.body.readableBytesView)
        } catch {
            throw KioskClientError.violation("its answer cannot be read: \(error)", socket)
        }
    }
}
