import DevicePrinting
package import PrintModel

extension USBBus {
    /// Opens the printer that a URL names and claims one interface of it, which is ours until the connection is closed.
    /// The kernel's driver gives way until then.
    ///
    /// `settings` are those of the printer's profile.
    package func open(
        _ url: PrinterURL, for use: USBPrinter.Use = .raw, settings: USBSettings = USBSettings()
    ) async throws(USBOpenError) -> USBConnection {
        try await open(url, for: use) { _ in settings }
    }

    /// The same with settings that depend on which printer it turns out to be.
    package func open(
        _ url: PrinterURL, for use: USBPrinter.Use, settings: (USBPrinter) -> USBSettings
    ) async throws(USBOpenError) -> USBConnection {
        let all = try await found()
        let printer = try USBPrinter.find(url, among: all.map(\.printer))
        guard let device = all.first(where: { $0.printer.port == printer.port })?.device else { throw .gone }
        guard printer.isAccessible else { throw printer.accessDenied(operation: "libusb_open") }
        let choices = printer.choices(for: use, interface: url.usbInterface)
        guard let first = choices.first else {
            throw USBOpenError(.unsuitable, operation: "find", reason: "it has no interface for this use")
        }
        // Of several, the first that is free.
        let choice =
            choices.first { !claims.contains(DeviceClaim(device: device, interface: $0.interface.number)) } ?? first
        return try await open(device, printer, choice, for: use, settings(printer))
    }

    private func open(
        _ device: DeviceReference, _ printer: USBPrinter, _ choice: USBPrinter.Choice, for use: USBPrinter.Use,
        _ settings: USBSettings
    ) async throws(USBOpenError) -> USBConnection {
        guard !isShutDown else { throw .shutDown }
        let claim = DeviceClaim(device: device, interface: choice.interface.number)
        guard claims.insert(claim).inserted else {
            throw USBOpenError(
                .alreadyOpen, operation: "libusb_claim_interface", reason: "this program has it open already")
        }
        let (interface, alternate) = (choice.interface.number, choice.alternate.number)
        let opened = await OwnThread.run { () -> Result<DeviceHandle, LibUSBFailure> in
            do throws(LibUSBFailure) {
                let handle = try DeviceHandle(device)
                do throws(LibUSBFailure) {
                    try handle.claim(interface, alternate: alternate)
                    return .success(handle)
                } catch {
                    handle.closeNow(releasing: nil)
                    return .failure(error)
                }
            } catch {
                return .failure(error)
            }
        }
        switch opened {
        case .success(let handle)?:
            let connection = USBConnection(
                handle, to: printer, interface: interface, alternate: choice.alternate, use: use, settings: settings,
                clock: clock
            ) { [weak self] in await self?.closed(claim) }
            // Who shut the bus down meanwhile did not see this connection; who cancelled does not want it.
            guard !isShutDown, !Task.isCancelled else {
                await connection.close()
                throw isShutDown ? .shutDown : .cancelled
            }
            connections[claim] = connection
            return connection
        case .failure(let failure)?:
            closed(claim)
            throw printer.openError(failure, choice.interface)
        case nil:
            closed(claim)
            throw .noThread
        }
    }

    private func closed(_ claim: DeviceClaim) {
        connections[claim] = nil
        claims.remove(claim)
        if claims.isEmpty { whenUnclaimed.take()?.resume() }
    }
}

extension USBPrinter {
    fileprivate func openError(_ failure: LibUSBFailure, _ interface: USBPrinterInterface) -> USBOpenError {
        let (operation, code) = (failure.operation, failure.code)
        switch code {
        case .noDevice: return .gone
        case .accessDenied: return accessDenied(operation: operation, code: code)
        case .busy:
            var owner: String?
            if case .kernel(let driver)? = interface.owner { owner = driver }
            return USBOpenError(
                .busy(owner: owner), operation: operation, code: code.value, reason: "another program has it open")
        default: return USBOpenError(.failed, operation: operation, code: code.value, reason: code.words)
        }
    }
}

extension USBOpenError {
    static let cancelled = USBOpenError(.cancelled, operation: "libusb_open", reason: "it was cancelled")
    static let gone = USBOpenError(
        .gone, operation: "libusb_open", code: LibUSBCode.noDevice.value, reason: "it was unplugged or switched off")
}
