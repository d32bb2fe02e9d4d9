import ArgumentParser
import KioskPaperPictures
import KioskSimulatedPaper
import KioskTerminal

/// `kioskctl simulate draw`: draws the paper that a printer would make of a file.
struct DrawCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "draw",
        abstract: "Draw what a file of printer commands would come out as.",
        discussion: """
            Reads the file as a receipt or label printer would and draws the paper, dashed lines for cuts. Without \
            --output it lists the commands instead, a line each: where it begins, the command, what it does. A ! marks \
            what a printer would skip or refuse. Star's commands begin as ESC/POS does: say --language star.

            EXAMPLES
              kioskctl simulate draw receipt.bin
              kioskctl simulate draw receipt.bin --output receipt.png
              kioskctl simulate draw --dots 384 - < receipt.bin
            """
    )

    /// A longer file is read up to this many bytes.
    private static let maximumFileSize = 64 << 20

    @Argument(help: ArgumentHelp("The file; - is the standard input.", valueName: "file"), completion: .file())
    var file: String

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Write a PNG picture; several pages become file-1.png and so on.", valueName: "file"),
        completion: .file(extensions: ["png"]))
    var output: String?

    @Flag(help: "List the commands as well as writing the picture.")
    var dump = false

    @Option(
        help: ArgumentHelp(
            "What it is written in: \(PaperLanguage.allCases.map(\.rawValue).joined(separator: ", ")); else the file tells.",
            valueName: "language"))
    var language: PaperLanguage?

    @OptionGroup(title: "Paper") var paper: PaperOptions

    func run() throws {
        let bytes = try Files.read(file, limit: Self.maximumFileSize)
        guard let language = language ?? PaperLanguage(mediaType: nil, firstBytes: bytes.prefix(16)) else {
            throw ValidationError("\(file) is in no language that is read here; say --language if it is.")
        }
        var printer = try PaperPrinter(paper.model)
        let papers = printer.print(bytes, as: language)
        if output == nil || dump { for paper in papers { Console.write(paper.dump) } }
        guard let output else { return }
        for (index, page) in papers.enumerated() {
            try Files.write(
                PNGFile.bytes(page, dotsPerInch: paper.dpi), to: Files.page(index, of: papers.count, output))
        }
        let faults = papers.reduce(0) { $0 + $1.faults.count }
        if faults > 0, !dump {
            Console.writeMessage("a printer would refuse or skip \(faults) of the commands; --dump shows them")
        }
    }
}

extension PaperLanguage: ExpressibleByArgument {}

/// The options for the paper that is drawn.
struct PaperOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Dots that fit side by side: 576 on paper of 80 mm, 384 on 58 mm.", valueName: "number"))
    var dots = 576

    @Option(help: ArgumentHelp("Dots per inch.", valueName: "number"))
    var dpi = 203

    func validate() throws {
        guard (64...4096).contains(dots) else { throw ValidationError("--dots is a number from 64 to 4096.") }
        guard (72...1200).contains(dpi) else { throw ValidationError("--dpi is a number from 72 to 1200.") }
    }

    var model: PaperModel {
        var model = PaperModel()
        model.width = dots
        model.dotsPerInch = dpi
        model.horizontalUnits = dpi
        model.verticalUnits = dpi
        return model
    }
}
