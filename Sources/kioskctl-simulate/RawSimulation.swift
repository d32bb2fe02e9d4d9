import ArgumentParser
import KioskSimulatedPaper
import KioskSimulatedPrinter
import KioskTerminal

/// `kioskctl simulate --raw`: a receipt, label or office printer behind a raw TCP port, until Ctrl-C.
struct RawSimulation {
    let port: Int
    let language: RawPrinterLanguage
    let statusPort: Int?
    /// Seconds.
    let idle: Int?
    let isQuiet: Bool
    let json: Bool

    /// Draws what each client printed into the folder, where one is named.
    func run(in path: String?, _ paper: PaperOptions) async throws {
        let folder = try path.map { try PaperFolder($0, paper) }
        var options = SimulatedRawPrinter.Options()
        (options.port, options.language, options.statusPort) = (port, language, statusPort)
        options.idleTimeout = idle.map { .seconds($0) }
        // Bounded, in case nobody reads the output: the oldest events are dropped.
        let (inputs, sender) = AsyncStream.makeStream(of: SimulationInput.self, bufferingPolicy: .bufferingNewest(4096))
        let printer = try await SimulatedRawPrinter.start(options) { sender.yield(.rawEvent($0)) }
        let uri = "socket://localhost:\(printer.port)"
        Console.writeLine(json ? #"{"event":"started","uri":"\#(uri)"}"# : uri)
        if let port = printer.statusPort { tell("its status is at port \(port)") }
        tell("save it: kioskctl printers add simulated-raw \(uri) --profile \(profile) --role \(role)")
        let sources = SimulationSources(sender)
        var number = 0
        loop: for await input in inputs {
            switch input {
            case .rawEvent(.connected): tell("a client is connected", #"{"event":"connected"}"#)
            case .rawEvent(.disconnected(let printed)):
                tell(
                    "the client has gone: \(printed.count) bytes were printed",
                    #"{"event":"disconnected","printed":\#(printed.count)}"#)
                guard !printed.isEmpty else { continue }
                number += 1
                do {
                    if let paperLanguage { try folder?.draw(printed, paperLanguage, number: number) }
                } catch {
                    Console.writeMessage("\(error)")
                }
            case .line(let line) where Simulate.endings.contains(line.filter { !$0.isWhitespace }): break loop
            case .line(let line): try await perform(line, on: printer)
            case .stop: break loop
            case .event: break
            }
        }
        sources.cancel()
        try await printer.stop()
    }

    private var profile: String {
        switch language {
        case .escPOS, .none: "generic-80mm"
        case .star: "generic-star"
        case .zpl: "generic-zpl"
        case .pjl: "generic-pjl"
        }
    }

    private var role: String {
        switch language {
        case .escPOS, .star, .none: "receipt"
        case .zpl: "label"
        case .pjl: "document"
        }
    }

    /// What the paper is drawn from; nil where it cannot be drawn.
    private var paperLanguage: PaperLanguage? {
        switch language {
        case .escPOS, .none: .escPOS
        case .star: .star
        case .zpl: .zpl
        case .pjl: nil
        }
    }

    private func tell(_ text: String, _ line: String? = nil) {
        guard !isQuiet else { return }
        if let line, json { Console.writeLine(line) } else if !json { Console.writeLine(text) }
    }

    private func perform(_ line: String, on printer: SimulatedRawPrinter) async throws {
        guard line.contains(where: { !$0.isWhitespace }) else { return }
        guard let command = SimulatedRawPrinter.Command(line) else {
            Console.writeMessage("\"\(line)\" is not a command; see `kioskctl simulate --help`")
            return
        }
        try await printer.perform(command)
    }
}

extension RawPrinterLanguage: ExpressibleByArgument {}
