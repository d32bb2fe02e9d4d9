import KioskFleet
import KioskFleetAgent
import KioskPrinterRegistry

/// The engine's registry as the fleet's office sets it up.
struct EngineConfigurator: ConfigurableKiosk {
    private let editor: RegistryEditor

    /// `editor`: one that refuses the office nothing.
    init(_ editor: RegistryEditor) { self.editor = editor }

    func apply(_ desired: DesiredConfiguration) async -> ConfigurationReport.Failure? {
        do {
            try await editor.replace(with: desired.text, named: "revision \(desired.revision)")
            return nil
        } catch {
            guard let problem = error.problems.first else {
                return .init(line: 0, column: 0, text: error.message)
            }
            return .init(
                line: problem.line, column: problem.column, text: "\(problem.message); write \(problem.instead)")
        }
    }

    func configurationFile() async -> [UInt8]? { await editor.store.fileContent }
}
