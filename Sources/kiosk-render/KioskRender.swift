import Glibc
import KioskHelperMessages
import KioskHelperSandbox
import KioskPageRendering
import KioskRenderingMessages
import KioskTextShaping

/// `kiosk-render`: draws and encodes the pages of one document. Its standard input is a socket, over which requests and
/// the document's descriptor come; it writes the responses to its standard output, until the input ends. `kioskd`
/// starts it. It runs PDFium on callers' documents, so it may do no more than this. `--user ID:GROUP`: the user that it
/// changes to first. `--self-test`: shows that the sandbox holds.
@main enum KioskRender {
    private static let stream = HelperStream(messageLimit: RenderingLimits.request)

    private static var sandbox: Sandbox {
        // A gigabyte draws a picture of the most pixels, whose memory the page's bitmap comes on top of.
        var sandbox = Sandbox(
            program: "kiosk-render", readable: Sandbox.fontFolders, dataLimit: 1 << 30, addressLimit: 1 << 30)
        sandbox.receivesDescriptors = true
        sandbox.outOfMemoryScore = 1_000
        return sandbox
    }

    static func main() {
        do {
            let arguments = HelperArguments(program: sandbox.program)
            if arguments.wantsSelfTest { exit(try selfTest()) }
            var conversation = Conversation(try start(as: try arguments.user()), write: { try write($0) })
            while let (message, descriptor) = try stream.readWithDescriptor() {
                try conversation.answer(try RenderingRequest(message), descriptor)
            }
        } catch {
            HelperLog(program: sandbox.program).write("\(error)")
            exit(1)
        }
    }

    /// Loads the library, which may be missing, and enters the sandbox. The parent process gets the reason if that
    /// fails.
    private static func start(as user: (id: UInt32, group: UInt32)?) throws -> Result<PDFiumLibrary, RenderingRefusal> {
        do {
            let library = load()
            try sandbox.begin(as: user)
            try? library.get().initialize()
            LineShaper.prepare()
            try sandbox.close()
            try write(.ready(library: try? library.get().name, built: try? library.get().built))
            return library
        } catch {
            try? write(.refused(RenderingRefusal(.rendering, "\(error)")))
            throw error
        }
    }

    private static func load() -> Result<PDFiumLibrary, RenderingRefusal> {
        do throws(PDFiumLibrary.LoadError) {
            return .success(try PDFiumLibrary.load())
        } catch {
            return .failure(RenderingRefusal(.unavailable, error.description))
        }
    }

    private static func selfTest() throws -> Int32 {
        // Loaded twice would be the same library; a missing one is no fault of the sandbox.
        let library = load()
        return try SelfTest(sandbox, work: "draw pages").run {
            try? library.get().initialize()
            try? library.get().findFonts()
            LineShaper.prepare()
        }
    }

    private static func write(_ response: RenderingResponse) throws { try stream.write(response.frame) }
}
