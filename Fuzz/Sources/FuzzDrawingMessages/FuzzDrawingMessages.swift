import DrawingMessages
import FuzzLoop

@main enum FuzzDrawingMessages {
    static func main() { fuzz(check) }

    /// As a request and as a reply, with a header in front and without one.
    static func check(_ bytes: [UInt8]) {
        if let request = try? DrawingRequest(bytes) {
            let again = MessageFrame.bytes(request)
            guard (try? DrawingRequest(again.dropFirst(MessageFrame.headerLength))) == request else {
                fatalError("a request that reads differently")
            }
        }
        if let reply = try? DrawingReply(bytes) {
            let again = MessageFrame.bytes(reply)
            guard (try? DrawingReply(again.dropFirst(MessageFrame.headerLength))) == reply else {
                fatalError("a reply that reads differently")
            }
        }
        guard let length = try? MessageFrame.length(bytes.prefix(MessageFrame.headerLength)) else { return }
        guard (1...DrawingLimits.message).contains(length) else { fatalError("a message without bounds") }
    }
}
