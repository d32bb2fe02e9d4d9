import KioskPrintEngine

/// Opens an engine that prints receipts in markup, with the profiles of printer models, the logins and `kiosk-draw` of
/// an installation. Everything that it keeps is in `folder`.
func openEngine(
    folder: String, profiles: ProfileLibrary, registry: RegistryStore, drawingProgram: String? = nil
) async throws -> PrintEngine {
    let printing = PrintingLookup(profiles)
    let secrets = SecretStore(path: "\(folder)/secrets.yaml")
    return try await PrintEngine(
        configuration: EngineConfiguration(stateDirectory: "\(folder)/queue"), registry: registry,
        transports: [
            IPPTransport(credentials: secrets, quirks: { profiles.quirks(for: $0) }),
            SSHLprTransport(credentials: secrets, settings: { profiles.lprSettings(named: $0) }),
            USBTransport(settings: { profiles.deviceSettings(for: $0) }, vendorPrinters: profiles.usbVendorPrinters),
        ],
        credentials: secrets,
        preparation: ReceiptPreparation(settings: { printing.settings(for: $0) }, drawingProgram: drawingProgram),
        logger: Logger(label: "till"))
}
