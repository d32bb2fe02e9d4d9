import FuzzLoop
import KioskHelperMessages
import KioskRenderingMessages

@main enum FuzzRenderingMessages {
    static func main() { fuzz(check) }

    /// As a request and as a response, and as the header of a frame.
    static func check(_ bytes: [UInt8]) {
        if bytes.count >= HelperFrame.headerLength,
            let length = try? HelperFrame.length(
                bytes.prefix(HelperFrame.headerLength), limit: RenderingLimits.request),
            !(0...RenderingLimits.request).contains(length)
        {
            fatalError("a frame without bounds")
        }
        if let request = try? RenderingRequest(bytes) {
            guard (try? RenderingRequest(request.frame.dropFirst(HelperFrame.headerLength))) == request else {
                fatalError("a request that reads differently")
            }
            if case .side(let side) = request, !side.isWithinLimits { fatalError("a side without bounds") }
        }
        if let response = try? RenderingResponse(bytes) {
            guard (try? RenderingResponse(response.frame.dropFirst(HelperFrame.headerLength))) == response else {
                fatalError("a response that reads differently")
            }
        }
    }
}
