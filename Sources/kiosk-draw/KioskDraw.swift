import CSandbox
import DrawingMessages
import Glibc
import ReceiptDrawing

/// `kiosk-draw`: draws what comes over its standard input and answers on its standard output, until the input ends. `kioskd` starts it; whatever a
/// caller's pictures and texts bring C libraries to do, it may do no more than this.
@main enum KioskDraw {
    static func main() {
        do {
            try Sandbox.begin()
            let draughtsman = try Draughtsman()
            draughtsman.warmUp()
            try Sandbox.close()
            while let message = try Conversation.request() {
                // Real time: a picture that takes longer is given up by whoever asked.
                alarm(60)
                try Conversation.reply(draughtsman.reply(to: try DrawingRequest(message)))
                alarm(0)
            }
        } catch {
            Complaint.write("\(error)")
            exit(1)
        }
    }
}

/// What people find in the log.
enum Complaint {
    static func write(_ message: String) {
        let line = "kiosk-draw: \(message)\n"
        _ = line.utf8.withContiguousStorageIfAvailable { Glibc.write(2, $0.baseAddress, $0.count) }
    }
}
