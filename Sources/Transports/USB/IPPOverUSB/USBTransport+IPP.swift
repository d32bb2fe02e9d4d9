import PrintModel

// Printers that are driven by IPP over USB.
extension USBTransport {
    /// What speaks IPP to the printer; nil for one that is driven raw.
    func ippTransport(for printer: PrinterTarget) async throws -> (any Transport)? {
        guard let forwarding else { return nil }
        await note(printer)
        try await makeRoom(for: printer, forwarding)
        let transport = try await forwarding.transport(for: printer)
        if transport != nil { await shelf.printer(at: printer.url)?.letGo() }
        return transport
    }

    /// What the printer says over IPP; nil for one that is driven raw.
    func contactByIPP(_ printer: PrinterTarget) async throws -> ContactReport? {
        guard let forwarding else { return nil }
        await note(printer)
        try await makeRoom(for: printer, forwarding)
        let report = try await forwarding.contact(printer)
        // It may have been driven raw before its HTTP was ready.
        if report != nil { await shelf.printer(at: printer.url)?.letGo() }
        return report
    }

    /// What knows of jobs: the printer itself, over IPP; nil for one that is driven raw. One that is away is asked when
    /// it is back.
    func jobKeeper(of printer: PrinterTarget) async throws -> (any Transport)? {
        guard let forwarding else { return nil }
        if let former = await forwarding.formerTransport(for: printer) { return former }
        return try await ippTransport(for: printer)
    }

    /// The same, where one that is away counts as driven raw: there nobody would know of the job when it is back.
    func likelyJobKeeper(of printer: PrinterTarget) async throws -> (any Transport)? {
        do {
            return try await jobKeeper(of: printer)
        } catch let error as TransportError where error.code == .hostNotFound {
            return nil
        }
    }

    /// Tells of printers without a conversation, which would tell of its end.
    func tellByIPP(_ printer: USBPrinter) async {
        for url in await forwarding?.left(printer) ?? [] {
            await tell(
                .disappeared(TransportError(USBOpenError.gone, printer: url).message), await shelf.targets(of: url))
        }
    }

    /// What is open raw would keep IPP out for ever. A job that is under way goes on, and the question waits for
    /// another time.
    private func makeRoom(for printer: PrinterTarget, _ forwarding: IPPForwarding) async throws {
        if try await forwarding.needsRawInterface(of: printer) { await shelf.printer(at: printer.url)?.letGo() }
    }

    /// Its coming and going is told from now on.
    private func note(_ printer: PrinterTarget) async {
        watch()
        _ = await shelf.printer(for: printer)
    }
}
