import SimulatedPrinter
import Testing

/// The words that people and scripts write.
@Suite struct SimulatedPrinterCommandTests {
    @Test(arguments: [
        ("paper out", PrinterCommand.paperOut), ("  Paper   IN ", .paperIn), ("cover open", .coverOpen),
        ("cover close", .coverClose), ("slow 500", .slow(milliseconds: 500)), ("trickle 3", .trickle(milliseconds: 3)),
        ("vanish", .vanish(milliseconds: nil)), ("vanish 200", .vanish(milliseconds: 200)), ("return", .comeBack),
        ("busy 3", .busy(count: 3)), ("busy", .busy(count: 1)), ("die after 1000", .dieAfter(bytes: 1000)),
        ("die before answer", .dieBeforeAnswer), ("die now", .powerOff),
        ("garbage", .spoil(.garbage, count: 1, documentsOnly: false)),
        ("lose job 2", .spoil(.lose, count: 2, documentsOnly: true)),
        ("half job", .spoil(.half, count: 1, documentsOnly: true)),
    ])
    func `reads a command`(line: String, command: PrinterCommand) {
        #expect(PrinterCommand(line) == command)
    }

    @Test(arguments: [
        "", "paper", "paper 3", "slow", "slow -1", "slow 1 2", "slow 99999999999999999999", "die after", "die",
        "busy -1",
        "garbage jobs", "lose job job x", "quit",
    ])
    func `refuses what is no command`(line: String) {
        #expect(PrinterCommand(line) == nil)
    }

    @Test func `reads every command that its help names`() {
        for (words, _) in PrinterCommand.help {
            for alternative in words.split(separator: " | ") {
                let line = alternative.replacing("MS", with: "5").replacing("N", with: "2").filter {
                    $0 != "[" && $0 != "]"
                }
                for variant in line.hasPrefix("garbage|") ? ["garbage job 2", "half 2", "lose", "mute job"] : [line] {
                    #expect(PrinterCommand(String(variant)) != nil, "\(variant)")
                }
            }
        }
    }
}
