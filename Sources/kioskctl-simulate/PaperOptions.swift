import ArgumentParser
import SimulatedPaper

/// The paper that is drawn.
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
