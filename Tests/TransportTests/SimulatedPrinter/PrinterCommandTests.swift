import KioskSimulatedPrinter
import Testing

/// The commands as people and scripts write them.
@Suite struct PrinterCommandTests {
    @Test(arguments: [
        ("paper out", PrinterCommand.paperOut), ("  Paper   IN ", .paperIn), ("cover open", .coverOpen),
        ("cover close", .coverClose), ("slow 500", .slow(milliseconds: 500)), ("trickle 3", .trickle(milliseconds: 3)),
        ("vanish", .goOffline(milliseconds: nil)), ("vanish 200", .goOffline(milliseconds: 200)), ("return", .goOnline),
        ("busy 3", .busy(count: 3)), ("busy", .busy(count: 1)), ("die after 1000", .losePowerAfter(bytes: 1000)),
        ("die before answer", .losePowerBeforeResponse), ("die now", .powerOff),
        ("garbage", .injectFault(.garbage, count: 1, documentsOnly: false)),
        ("lose job 2", .injectFault(.lose, count: 2, documentsOnly: true)),
        ("half job", .injectFault(.half, count: 1, documentsOnly: true)), ("forget", .forget),
        ("forget always", .forgetAtEnd(true)), ("remember", .forgetAtEnd(false)),
        ("ignore validation", .ignoreValidation(true)), ("answer validation", .ignoreValidation(false)),
        ("ignore tickets", .ignoreTemplates(true)), ("heed tickets", .ignoreTemplates(false)),
    ])
    func `reads a command`(line: String, command: PrinterCommand) {
        #expect(PrinterCommand(line) == command)
    }

    @Test(arguments: [
        "", "paper", "paper 3", "slow", "slow -1", "slow 1 2", "slow 99999999999999999999", "die after", "die",
        "busy -1", "garbage jobs", "lose job job x", "quit",
    ])
    func `refuses what is not a command`(line: String) {
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
