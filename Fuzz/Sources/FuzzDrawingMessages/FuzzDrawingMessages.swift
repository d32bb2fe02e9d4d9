import FuzzLoop
import KioskDrawingMessages

@main enum FuzzDrawingMessages {
    static func main() { fuzz(check) }

    /// As a request and as a response, with a header in front and without one.
    static func check(_ bytes: [UInt8]) {
        if let request = try? DrawingRequest(bytes) {
            let again = MessageFrame.bytes(request)
            guard (try? DrawingRequest(again.dropFirst(MessageFrame.headerLength))) == request else {
                fatalError("a request that reads differently")
            }
        }
        if let response = try? DrawingResponse(bytes) {
            let again = MessageFrame.bytes(response)
            guard (try? DrawingResponse(again.dropFirst(MessageFrame.headerLength))) == response else {
                fatalError("a response that reads differently")
            }
        }
        guard let length = try? MessageFrame.length(bytes.prefix(MessageFrame.headerLength)) else { return }
        guard (1...DrawingLimits.message).contains(length) else { fatalError("a message without bounds") }
    }
}
