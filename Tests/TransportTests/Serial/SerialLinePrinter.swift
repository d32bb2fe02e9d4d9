import Foundation
import KioskPrintModel
import KioskTestSupport
import Synchronization

@testable import KioskSimulatedPrinter

/// A simulated ESC/POS printer at the end of a serial line.
final class SerialLinePrinter: Sendable {
    let line: PseudoTerminal
    private let state: Mutex<State>
    private let isOver = Atomic(false)

    private struct State {
        var model = RawPrinterModel(.escPOS, capacity: 4096, names: RawPrinterNames(), confirmsByID: true)
        /// What its responses are read as, since its speed is another one than the host's.
        var noise: [UInt8]?
        /// Whether it is switched off.
        var isOff = false
        /// How much it takes before it reads nothing more, or is unplugged.
        var (bytesToStall, bytesToUnplug): (Int?, Int?)
    }

    /// Whether it takes nothing any more.
    var isStalled: Bool { state.withLock { $0.bytesToStall == 0 } }
    var paper: [UInt8] { state.withLock(\.model.paper) }

    /// Its URL, with these options.
    func target(_ options: String = "baud=115200") throws -> PrinterTarget {
        PrinterTarget(url: try PrinterURL("serial:\(line.link)?\(options)"))
    }

    /// With a folder, it is found under the same path as another one before.
    init(in folder: TemporaryFolder? = nil) throws {
        line = try PseudoTerminal(in: folder)
        state = Mutex(State())
        Thread.detachNewThread { [self] in serve() }
    }

    func stop() {
        isOver.store(true, ordering: .releasing)
        line.unplug()
    }

    func garble(as noise: [UInt8]?) { state.withLock { $0.noise = noise } }
    func switchOff(_ isOff: Bool) {
        state.withLock { state in
            state.isOff = isOff
            if isOff { state.model.losePower() }
        }
    }
    func stall(after bytes: Int) { state.withLock { $0.bytesToStall = bytes } }
    func goOn() { state.withLock { $0.bytesToStall = nil } }
    func unplug(after bytes: Int) { state.withLock { $0.bytesToUnplug = bytes } }
    func change(_ condition: RawPrinterCondition, to isOn: Bool) {
        let answer = state.withLock { state in
            state.model.change(condition, to: isOn)
            return state.model.takeAnswers()
        }
        line.write(answer)
    }

    private func serve() {
        while !isOver.load(ordering: .acquiring) {
            guard !isStalled, let bytes = line.read(), !bytes.isEmpty else {
                usleep(2000)
                continue
            }
            let (answer, isUnplugged) = state.withLock { receive(bytes, &$0) }
            if !answer.isEmpty { line.write(answer) }
            if isUnplugged { line.unplug() }
        }
    }

    private func receive(_ bytes: [UInt8], _ state: inout State) -> (answer: [UInt8], isUnplugged: Bool) {
        if state.isOff { return ([], false) }
        if let noise = state.noise { return (noise, false) }
        if let left = state.bytesToUnplug {
            state.model.receive(bytes.prefix(left))
            state.bytesToUnplug = max(0, left - bytes.count)
            return (state.model.takeAnswers(), state.bytesToUnplug == 0)
        }
        if let left = state.bytesToStall { state.bytesToStall = max(0, left - bytes.count) }
        state.model.receive(bytes)
        return (state.model.takeAnswers(), false)
    }
}
