import DevicePrinting
public import PrintModel

extension USBTransport {
    /// Opens the printer if need be. One that reports by itself is asked nothing.
    public func contact(_ printer: PrinterTarget) async throws -> ContactReport {
        if let report = try await contactByIPP(printer) { return report }
        var held = try await open(printer)
        var condition = await held.conversation.condition()
        // Opened anew meanwhile.
        while await held.conversation.isRetired {
            held = try await open(printer)
            condition = await held.conversation.condition()
        }
        if await held.conversation.isOver { throw TransportError(USBOpenError.gone, printer: printer.url) }
        return ContactReport(
            description: PrinterDescription(held.printer),
            availability: condition.availabilityHere(held.conversation.settings))
    }
}

extension PrinterDescription {
    init(_ printer: USBPrinter) {
        let id = printer.deviceID
        // What a printer takes it is sent as it is, so whoever knows its language better may say so.
        let formats = (id?.languages ?? []).compactMap(\.format) + [.octetStream]
        self.init(
            makeAndModel: printer.makeAndModel, deviceID: id?.description, jobTypes: id?.jobTypes ?? [],
            formats: formats.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }, defaultFormat: formats.first
        )
    }
}

extension DeviceCondition {
    /// A printer that was opened is there: one that says nothing of itself counts as ready.
    func availabilityHere(_ settings: DeviceSettings) -> Availability {
        let availability = availability(drawerOpen: settings.drawerOpen)
        return availability.state == .unknown ? Availability(.ready) : availability
    }
}
