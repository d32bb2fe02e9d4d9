import NIOCore

// What a person does to the printer.
extension PrinterCore {
    func perform(_ command: PrinterCommand) -> EventLoopFuture<Void> {
        switch command {
        case .paperOut: change { $0.isPaperOut = true }
        case .paperLow: change { $0.isPaperLow = true }
        case .paperIn:
            change {
                $0.isPaperOut = false
                $0.isPaperLow = false
            }
        case .coverOpen: change { $0.isCoverOpen = true }
        case .coverClose: change { $0.isCoverOpen = false }
        case .jam: change { $0.isJammed = true }
        case .unjam: change { $0.isJammed = false }
        case .slow(let milliseconds): change { $0.timePerKilobyte = .milliseconds(milliseconds) }
        case .hold: change { $0.isHolding = true }
        case .release: change { $0.isHolding = false }
        case .refuse: change { $0.isRefusing = true }
        case .accept: change { $0.isRefusing = false }
        case .trickle(let milliseconds): trickle = .milliseconds(milliseconds)
        case .busy(let count): service.busyAnswers = count
        case .spoil(let fault, let count, let documentsOnly):
            faults.add(fault, count: count, documentsOnly: documentsOnly)
        case .abort:
            service.actions += service.model.abortCurrentJob(at: now)
            settle()
        case .forget: service.model.forgetHistory()
        case .dieAfter(let bytes): dieAfter = bytes
        case .dieBeforeAnswer: diesBeforeAnswer = true
        case .powerOff: losePower()
        case .dropConnections: dropConnections()
        case .vanish(let milliseconds): vanish(for: milliseconds)
        case .newCertificate: return renewCertificate()
        case .comeBack: return comeBack()
        }
        return loop.makeSucceededVoidFuture()
    }

    private func change(_ edit: (inout PrinterCondition) -> Void) {
        var condition = service.model.condition
        edit(&condition)
        service.actions += service.model.setCondition(condition, at: now)
        settle()
    }

    private func renewCertificate() -> EventLoopFuture<Void> {
        guard let tls else {
            return loop.makeFailedFuture(SimulatedPrinterError("The printer has no certificate; start it with --tls."))
        }
        do {
            try tls.renew()
        } catch {
            return loop.makeFailedFuture(error)
        }
        report(.certificate(tls.certificate))
        return loop.makeSucceededVoidFuture()
    }

    private func vanish(for milliseconds: Int?) {
        goOffline()
        guard let milliseconds else { return }
        loop.assumeIsolated().scheduleTask(in: .milliseconds(Int64(milliseconds))) { [weak self] in
            guard let self else { return }
            let box = NIOLoopBound(self, eventLoop: loop)
            comeBack().whenFailure { box.value.report(.trouble("The printer cannot come back on its port: \($0)")) }
        }
    }
}
