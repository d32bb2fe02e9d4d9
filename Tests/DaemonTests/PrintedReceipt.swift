import KioskPaperPictures
import KioskSimulatedPaper
import KioskSimulatedPrinter
import KioskTestSupport

/// What a printer that shares no code with our encoders read on its paper.
enum PrintedReceipt {
    static func read(_ bytes: [UInt8], dots: Int = 576) throws -> PrintedPaper {
        var model = PaperModel()
        model.width = dots
        var printer = try PaperPrinter(model)
        guard let paper = printer.print(bytes, as: .escPOS).first else { throw TestSupportError("nothing came out") }
        return paper
    }

    /// The documents that it got, in order.
    static func all(of printer: SimulatedPrinter, dots: Int = 576) async throws -> [PrintedPaper] {
        try await printer.documents.map { try read(readFile($0.path), dots: dots) }
    }
}

extension PrintedPaper {
    func count(_ command: String) -> Int {
        events.count { if case .command(command, _, _) = $0.kind { true } else { false } }
    }
}
