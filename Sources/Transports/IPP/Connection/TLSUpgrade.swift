/// The words of RFC 2817 §3.2 and §3.3: a request that asks for TLS, and what comes back. No I/O.
struct TLSUpgrade {
    enum Action: Hashable {
        case none
        /// 101: the handshake is next.
        case startTLS
        /// The answer to the request itself came, over TLS.
        case done
        case refused(status: Int)
        case malformed(String)
    }

    private enum State {
        case awaitingSwitch
        case shakingHands
        case awaitingAnswer
        /// Octets of the answer's body that are still to come.
        case draining(Int)
        case over
    }

    private static let longestHead = 16 * 1024
    private static let longestBody = 64 * 1024

    private var state = State.awaitingSwitch
    private var head: [UInt8] = []

    static func request(host: String) -> String {
        "OPTIONS * HTTP/1.1\r\nHost: \(host)\r\nConnection: Upgrade\r\nUpgrade: TLS/1.2,TLS/1.0\r\nUser-Agent: kiosk-print-engine\r\n\r\n"
    }

    mutating func handshakeDone() { state = .awaitingAnswer }

    mutating func received(_ bytes: some Sequence<UInt8>) -> Action {
        for byte in bytes {
            switch state {
            case .shakingHands, .over:
                // Whoever slips something in behind the 101 would have it read as if it came over TLS.
                return end(.malformed("it sends more than its answer to the upgrade"))
            case .draining(0):
                return end(.malformed("it sends more than its answer to the upgrade"))
            case .draining(let rest):
                state = .draining(rest - 1)
            case .awaitingSwitch, .awaitingAnswer:
                head.append(byte)
                guard head.count <= Self.longestHead else {
                    return end(.malformed("its answer to the upgrade is too long"))
                }
                guard byte == UInt8(ascii: "\n"), head.suffix(4).elementsEqual("\r\n\r\n".utf8) else { continue }
                let action = took(String(decoding: head, as: UTF8.self))
                head = []
                if case .malformed = action { return end(action) }
                if case .refused = action { return end(action) }
            }
        }
        switch state {
        case .draining(0): return end(.done)
        case .shakingHands: return .startTLS
        default: return .none
        }
    }

    private mutating func end(_ action: Action) -> Action {
        state = .over
        return action
    }

    private mutating func took(_ head: String) -> Action {
        let lines = head.split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]), 100..<600 ~= status else {
            return .malformed("its answer to the upgrade is no HTTP")
        }
        switch state {
        case .awaitingSwitch where status == 101: state = .shakingHands
        case .awaitingSwitch where status == 100: break
        case .awaitingSwitch: return .refused(status: status)
        case _ where status < 200: break
        default:
            let fields = lines.dropFirst().map { $0.lowercased() }
            guard !fields.contains(where: { $0.hasPrefix("transfer-encoding:") }),
                let length = Self.contentLength(fields), 0...Self.longestBody ~= length
            else { return .malformed("its answer to the upgrade has no length, or is too long") }
            state = .draining(length)
        }
        return .none
    }

    /// Zero where it is not said, since nothing but the connection's end would end such a body.
    private static func contentLength(_ fields: [String]) -> Int? {
        guard let field = fields.first(where: { $0.hasPrefix("content-length:") }) else { return 0 }
        return Int(field.dropFirst("content-length:".count).filter { $0 != " " && $0 != "\t" })
    }
}
