import Dispatch
import Glibc
import KioskSimulatedPrinter

/// The inputs of a running simulation.
enum SimulationInput: Sendable {
    case event(PrinterEvent)
    case rawEvent(SimulatedRawPrinter.Event)
    /// A line from standard input.
    case line(String)
    case stop
}

/// Reads signals and standard input until `cancel`.
final class SimulationSources {
    private static let lineLimit = 4096

    private let sources: [any DispatchSourceProtocol]

    init(_ sender: AsyncStream<SimulationInput>.Continuation) {
        var sources: [any DispatchSourceProtocol] = []
        for number in [SIGINT, SIGTERM] {
            // libdispatch sees a signal only if it does not end the process.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { sender.yield(.stop) }
            sources.append(source)
        }
        // In a background job, a read of the terminal must fail, not stop the process.
        signal(SIGTTIN, SIG_IGN)
        let queue = DispatchQueue(label: "standard input")
        let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: queue)
        let lines = LineBuffer(limit: Self.lineLimit)
        source.setEventHandler {
            var buffer = [UInt8](repeating: 0, count: 1024)
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            // The printer runs on after the end of its input: services and scripts start it with `</dev/null`.
            guard count > 0 else { return source.cancel() }
            for line in lines.add(buffer[..<count]) { sender.yield(.line(line)) }
        }
        sources.append(source)
        self.sources = sources
        for source in sources { source.resume() }
    }

    func cancel() {
        for source in sources { source.cancel() }
    }
}

/// Splits bytes into lines. @unchecked: used on one queue only.
private final class LineBuffer: @unchecked Sendable {
    private let limit: Int
    private var rest: [UInt8] = []

    init(limit: Int) { self.limit = limit }

    func add(_ bytes: ArraySlice<UInt8>) -> [String] {
        rest += bytes
        var lines: [String] = []
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(String(decoding: rest[..<end], as: UTF8.self))
            rest.removeSubrange(...end)
        }
        if rest.count > limit { rest = [] }
        return lines
    }
}
