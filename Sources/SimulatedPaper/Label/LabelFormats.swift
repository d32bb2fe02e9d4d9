/// The stored formats (`^DF`), and the fields of a label that wait for their data (`^FN`).
struct LabelFormats {
    /// The formats, which last until the printer is switched off.
    private var stored: [String: [ZPLReader.Command]] = [:]
    private var recording: (name: String, commands: [ZPLReader.Command])?
    /// The fields without data, by their number, and the data of those that had some.
    private var waiting: [Int: [LabelField]] = [:]
    private var values: [Int: [UInt8]] = [:]
    /// How many commands of stored formats may still be carried out in this job.
    private var budget = LabelFormats.maximumRecalled

    private static let maximumFormats = 64
    private static let maximumCommands = 2000
    private static let maximumBytes = 64 << 10
    private static let maximumWaiting = 2000
    private static let maximumRecalled = 20_000

    mutating func beginJob() {
        recording = nil
        budget = Self.maximumRecalled
        beginLabel()
    }

    mutating func beginLabel() { (waiting, values) = ([:], [:]) }

    // MARK: - Stored formats

    /// The name of the format that is being stored.
    var recordedName: String? { recording?.name }

    mutating func beginRecording(_ name: String) -> CommandOutcome {
        guard stored.count < Self.maximumFormats || stored[Self.plainName(name)] != nil else {
            return .refused("no room for it")
        }
        recording = (Self.plainName(name), [])
        return "keep what follows as \(Self.plainName(name))"
    }

    /// Keeps a command of the format; false where it is too long.
    mutating func record(_ command: ZPLReader.Command) -> Bool {
        guard let recording, recording.commands.count < Self.maximumCommands,
            recording.commands.reduce(command.parameters.count, { $0 + $1.parameters.count }) <= Self.maximumBytes
        else { return false }
        self.recording?.commands.append(command)
        return true
    }

    mutating func endRecording() {
        if let recording { stored[recording.name] = recording.commands }
        recording = nil
    }

    /// The commands of a stored format; nil where there is none, or where too many were carried out already.
    mutating func recall(_ name: String) -> [ZPLReader.Command]? {
        guard let commands = stored[Self.plainName(name)], commands.count <= budget else { return nil }
        budget -= commands.count
        return commands
    }

    mutating func delete(_ name: String) -> Bool { stored.removeValue(forKey: Self.plainName(name)) != nil }

    private static func plainName(_ name: String) -> String {
        var name = name.uppercased()
        if let colon = name.firstIndex(of: ":") { name = String(name[name.index(after: colon)...]) }
        return name.hasSuffix(".ZPL") ? String(name.dropLast(4)) : name
    }

    // MARK: - Fields by number

    /// Keeps a field until its data comes; false where too many wait.
    mutating func wait(_ field: LabelField, _ number: Int) -> Bool {
        guard waiting.values.reduce(0, { $0 + $1.count }) < Self.maximumWaiting else { return false }
        waiting[number, default: []].append(field)
        return true
    }

    /// Notes the data of a number, and returns the fields that waited for it.
    mutating func fill(_ number: Int, _ data: [UInt8]) -> [LabelField] {
        values[number] = data
        return waiting.removeValue(forKey: number) ?? []
    }

    func value(_ number: Int) -> [UInt8]? { values[number] }

    /// The fields whose data never came, in the order of their numbers: those of a stored format may have data of
    /// their own.
    mutating func remaining() -> [LabelField] {
        defer { waiting = [:] }
        return waiting.sorted { $0.key < $1.key }.flatMap(\.value)
    }
}
