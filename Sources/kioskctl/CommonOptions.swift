public import ArgumentParser
import KioskAPIMessages
import KioskBlockingClient
public import KioskPrintModel
import KioskTerminal

/// The options that name the daemon.
struct ConnectionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The daemon's Unix socket.", valueName: "path"), completion: .file())
    var socket: String?

    @Option(help: ArgumentHelp("The daemon's --state-dir, for its socket.", valueName: "dir"), completion: .directory)
    var stateDir: String?

    @Option(
        help: ArgumentHelp(
            "Talk to a daemon over TCP instead, such as https://kiosk.local (port 8631).", valueName: "url"),
        transform: Arguments.host)
    var host: String?

    /// Not `--fingerprint`, which is a printer's in `printers trust`.
    @Option(
        help: ArgumentHelp("Trust the --host with this key; else the system's CAs decide.", valueName: "sha256:hex"),
        transform: Arguments.fingerprint)
    var hostFingerprint: Fingerprint?

    @Option(
        help: ArgumentHelp("A file whose first line is the token for the --host.", valueName: "file"),
        completion: .file())
    var tokenFile: String?

    var choice: DaemonChoice {
        DaemonChoice(
            socket: socket, stateDirectory: stateDir, host: host, fingerprint: hostFingerprint,
            tokenFile: tokenFile)
    }

    var client: BlockingClient { get throws { BlockingClient(address: try choice.address()) } }

    func validate() throws {
        guard host == nil || socket == nil && stateDir == nil else {
            throw ValidationError("--host names another daemon than --socket or --state-dir; give one of them.")
        }
    }
}

/// The options for the form of results.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Write JSON, as the daemon's API has it.")
    var json = false
}

extension Console {
    /// Writes a value as JSON: on one line in streams of values, else indented.
    static func write(json value: some Encodable, oneLine: Bool = false) throws {
        writeLine(json: try oneLine ? APIJSON.encode(value) : APIJSON.encodePretty(value))
    }
}

/// The options that make a ticket.
struct TicketOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Copies, 1 to 999.", valueName: "n"))
    var copies: Int?

    @Option(help: "Which sides of the sheets.")
    var sides: Ticket.Sides?

    @Option(help: ArgumentHelp("A PWG media name, such as iso_a4_210x297mm.", valueName: "name"))
    var media: String?

    @Option(
        name: [.long, .customLong("pages")], help: ArgumentHelp("Pages, such as 1-3,5.", valueName: "ranges"),
        transform: Arguments.pageRanges)
    var pageRanges: [PageRange]?

    @Option(help: ArgumentHelp("Pages on one side of a sheet: 1, 2, 4, 6, 8, 9, 12 or 16.", valueName: "n"))
    var numberUp: Int?

    @Option(name: [.long, .customLong("orientation-requested")], help: "How pages lie.")
    var orientation: Ticket.Orientation?

    @Option(name: [.customLong("color"), .customLong("print-color-mode")], help: "Colour or not.")
    var colorMode: Ticket.ColorMode?

    @Option(name: [.long, .customLong("print-quality")], help: "How fine.")
    var quality: Ticket.Quality?

    @Option(help: "How to cut the paper behind the job: of receipts, and of what IPP printers cut.")
    var cut: Ticket.Cut?

    @Flag(inversion: .prefixedNo, help: "Open the cash drawer, or not, with a receipt; other documents cannot.")
    var drawer: Bool?

    @Option(
        help: ArgumentHelp("The tray or roll, such as tray-1 or manual.", valueName: "keyword"),
        completion: .list(["auto", "main", "manual", "tray-1", "tray-2", "roll-1"]))
    var mediaSource: String?

    @Option(
        help: ArgumentHelp("The kind of paper, such as stationery or labels.", valueName: "keyword"),
        completion: .list(["auto", "stationery", "labels", "photographic", "envelope", "cardstock"]))
    var mediaType: String?

    @Option(
        help: ArgumentHelp("Where the paper comes out, such as face-down.", valueName: "keyword"),
        completion: .list(["auto", "face-down", "face-up", "top", "tray-1"]))
    var outputBin: String?

    @Option(
        name: [.customLong("scaling"), .customLong("print-scaling")],
        help: "How a page of another size is fitted to the paper.")
    var scaling: Ticket.Scaling?

    @Option(
        name: [.long, .customLong("multiple-document-handling")],
        help: "In which order the sheets of several copies come out.")
    var documentHandling: Ticket.DocumentHandling?

    @Option(help: "The frame around each page.")
    var pageBorder: Ticket.PageBorder?

    @Option(name: [.customLong("content"), .customLong("print-content-optimize")], help: "What the pages show.")
    var contentOptimization: Ticket.ContentOptimization?

    @Option(
        name: [.long, .customLong("printer-resolution")], help: ArgumentHelp("Dots per inch.", valueName: "dpi"))
    var resolution: Int?

    @Option(
        name: [.customLong("account"), .customLong("job-account-id")],
        help: ArgumentHelp("The account that the printer books the job to.", valueName: "account"))
    var accountID: String?

    @Option(
        name: [.customLong("accounting-user"), .customLong("job-accounting-user-id")],
        help: ArgumentHelp("The user that the printer books the job to.", valueName: "user"))
    var accountingUserID: String?

    @Flag(
        inversion: .prefixedNo,
        help: "Refuse the job where its printer cannot meet the ticket; else it prints, and a remark says what differs."
    )
    var fidelity: Bool?

    @Option(help: ArgumentHelp("1 (least) to 100 (most).", valueName: "n"))
    var priority: Int?

    @Option(help: ArgumentHelp("Seconds after which it is not worth printing.", valueName: "seconds"))
    var expiresAfter: Int?

    var ticket: Ticket {
        var ticket = Ticket()
        ticket.copies = copies
        ticket.sides = sides
        ticket.media = media
        ticket.pageRanges = pageRanges
        ticket.numberUp = numberUp
        ticket.orientation = orientation
        ticket.colorMode = colorMode
        ticket.quality = quality
        ticket.cut = cut
        ticket.drawer = drawer
        ticket.priority = priority
        ticket.expiresAfter = expiresAfter
        ticket.mediaSource = mediaSource
        ticket.mediaType = mediaType
        ticket.outputBin = outputBin
        ticket.scaling = scaling
        ticket.documentHandling = documentHandling
        ticket.pageBorder = pageBorder
        ticket.contentOptimization = contentOptimization
        ticket.resolution = resolution
        ticket.accountID = accountID
        ticket.accountingUserID = accountingUserID
        ticket.fidelity = fidelity
        return ticket
    }

    func validate() throws {
        if let problem = ticket.problems.first { throw ValidationError(problem) }
    }
}

// The import is public, since conformances of public types are.
extension Ticket.Sides: ExpressibleByArgument {}
extension Ticket.Orientation: ExpressibleByArgument {}
extension Ticket.ColorMode: ExpressibleByArgument {}
extension Ticket.Quality: ExpressibleByArgument {}
extension Ticket.Cut: ExpressibleByArgument {}
extension Ticket.Scaling: ExpressibleByArgument {}
extension Ticket.DocumentHandling: ExpressibleByArgument {}
extension Ticket.PageBorder: ExpressibleByArgument {}
extension Ticket.ContentOptimization: ExpressibleByArgument {}
extension Role.PrinterPolicy: ExpressibleByArgument {}
extension Role.UnconfirmedPolicy: ExpressibleByArgument {}
