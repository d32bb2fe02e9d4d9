import CSandbox
import DrawingMessages
import Glibc
import ReceiptDrawing

/// `kiosk-draw`: draws what comes over its standard input and answers on its standard output, until the input ends.
/// `kioskd` starts it; whatever a caller's pictures and texts bring C libraries to do, it may do no more than this.
/// `--user ID:GROUP`: whom it becomes first. `--self-test`: shows what it may not do.
@main enum KioskDraw {
    static func main() {
        do {
            if Arguments.wantsSelfTest { exit(try SelfTest.run()) }
            let draughtsman = try begin()
            while let message = try Conversation.request() {
                try Conversation.reply(draughtsman.reply(to: try DrawingRequest(message)))
            }
        } catch {
            Complaint.write("\(error)")
            exit(1)
        }
    }

    /// Starts, and tells the parent process why if that fails.
    private static func begin() throws -> Draughtsman {
        do {
            try Sandbox.begin(as: Arguments.user())
            let draughtsman = try Draughtsman()
            draughtsman.warmUp()
            try Sandbox.close()
            try Conversation.reply(.ready)
            return draughtsman
        } catch {
            try? Conversation.reply(.refused(DrawingRefusal(.drawing, "\(error)")))
            throw error
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
