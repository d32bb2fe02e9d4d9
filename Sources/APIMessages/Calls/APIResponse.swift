/// The daemon's response to a call, read whole.
package struct APIResponse: Sendable {
    package var status: Int
    package var contentType: String?
    package var body: [UInt8]

    package init(status: Int, contentType: String?, body: [UInt8]) {
        self.status = status
        self.contentType = contentType
        self.body = body
    }

    /// Throws the problem in a response that is not a success.
    package func check(_ address: DaemonAddress) throws(KioskClientError) {
        guard !(200..<300).contains(status) else { return }
        guard contentType?.hasPrefix(APIMediaTypes.problem) == true,
            let problem = try? APIJSON.decode(Problem.self, from: body)
        else { throw .violation("it responded with status \(status) and no problem details", address) }
        throw .refused(problem, address)
    }

    /// Throws unless the response is the head of a stream of server-sent events.
    package func checkEventStream(_ address: DaemonAddress) throws(KioskClientError) {
        try check(address)
        guard contentType?.hasPrefix(APIMediaTypes.eventStream) == true else {
            throw .violation("its response is not an event stream", address)
        }
    }

    /// The value that a call asked for.
    package func value<Value>(of call: APICall<Value>, _ address: DaemonAddress) throws(KioskClientError) -> Value {
        try check(address)
        do {
            return try call.read(body)
        } catch {
            throw .violation("its response cannot be read: \(error)", address)
        }
    }
}
