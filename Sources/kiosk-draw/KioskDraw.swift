import Glibc
import KioskDrawingMessages
import KioskHelperSandbox
import KioskReceiptDrawing

/// `kiosk-draw`: reads drawing requests from its standard input and writes the responses to its standard output, until
/// the input ends. `kioskd` starts it. It runs C libraries on callers' pictures and text, so it may do no more than
/// this. `--user ID:GROUP`: the user that it changes to first. `--self-test`: shows that the sandbox holds.
@main enum KioskDraw {
    private static let stream = HelperStream(messageLimit: DrawingLimits.message)

    // The largest picture takes 64 MB, and its dots half as much; fonts are mapped, some 150 MB of them.
    private static let sandbox = Sandbox(
        program: "kiosk-draw", readable: Sandbox.fontFolders, dataLimit: 384 << 20, addressLimit: 1 << 30)

    static func main() {
        do {
            let arguments = HelperArguments(program: sandbox.program)
            if arguments.wantsSelfTest {
                exit(try SelfTest(sandbox, work: "draw").run { try DrawingRenderer().warmUp() })
            }
            let renderer = try start(as: try arguments.user())
            while let message = try stream.read() {
                try write(renderer.response(to: try DrawingRequest(message)))
            }
        } catch {
            HelperLog(program: sandbox.program).write("\(error)")
            exit(1)
        }
    }

    /// Enters the sandbox and opens the fonts. The parent process gets the reason if that fails.
    private static func start(as user: (id: UInt32, group: UInt32)?) throws -> DrawingRenderer {
        do {
            try sandbox.begin(as: user)
            let renderer = try DrawingRenderer()
            renderer.warmUp()
            try sandbox.close()
            try write(.ready)
            return renderer
        } catch {
            try? write(.refused(DrawingRefusal(.drawing, "\(error)")))
            throw error
        }
    }

    private static func write(_ response: DrawingResponse) throws { try stream.write(MessageFrame.bytes(response)) }
}
