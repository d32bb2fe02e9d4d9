import KioskPrintEngine

/// Prints a receipt with no daemon: registry, queue and transports live in this process and in `folder`.
func printReceipt(_ text: String, folder: String) async throws -> Job {
    let registry = await RegistryStore(path: "\(folder)/printers.yaml")
    let engine = try await PrintEngine(
        configuration: EngineConfiguration(stateDirectory: "\(folder)/queue"), registry: registry,
        transports: [IPPTransport()], logger: Logger(label: "till"))
    async let _ = engine.run()  // Prints until this scope ends; a service would give it to its ServiceGroup.

    let request = JobRequest(role: "receipt", name: "Receipt 147", format: .plainText)
    let job = try await engine.submit(request, bytes: Array(text.utf8))  // On disk when it returns.
    return try await engine.wait(for: job.id, timeout: .seconds(10))
}
