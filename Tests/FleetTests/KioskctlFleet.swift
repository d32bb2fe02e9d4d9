import KioskTestSupport

/// Runs `kioskctl fleet` to its end.
enum KioskctlFleet {
    /// `hub` comes from the environment; an empty one is none. A command gets as much time as the test, unless it
    /// names a `--timeout`: a hub on a busy machine is not away.
    static func run(_ arguments: [String], hub: String, input: String = "") async throws -> ChildProcess.Result {
        let timeout = hub.isEmpty || arguments.contains("--timeout") ? [] : ["--timeout", "300"]
        return try await ChildProcess.run(
            BuiltProducts.path("kioskctl"), ["fleet"] + arguments + timeout, environment: ["KIOSK_FLEET_HUB": hub],
            input: input, deadline: .seconds(600))
    }
}
