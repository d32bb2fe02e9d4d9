import Logging
public import PrintModel
import PrinterRegistry

extension PrintEngine {
    /// Puts the registry as it is now in force.
    package func applyRegistry() async {
        let registry = await registry.registry
        let problem = await self.registry.problem
        registryProblem = problem.map { "\($0)" }
        let changed = snapshot.printers.filter { old in registry.printer(old.id)?.target != old.target }
        snapshot = registry
        let fromProfiles = registry.printers.compactMap { printer in
            registry.profileJobTypes(of: printer).map { (printer.id, $0) }
        }
        board.configure(
            printers: registry.printers, roles: registry.roles,
            profileJobTypes: Dictionary(uniqueKeysWithValues: fromProfiles)
        )
        for printer in registry.printers where board.printers[printer.id]?.description == nil {
            if let known = remembered[printer.id], known.url == printer.url {
                board.printer(printer.id, is: .unknown, described: known.description)
                contactTimes[printer.id] = known.contactedAt
            }
        }
        schedule.keep(Set(registry.printers.map(\.id)), at: clock.now())
        doubted.formIntersection(registry.printers.map(\.id))
        leaving = leaving.filter { registry.printer($0.key) != nil }
        for printer in changed {
            let isSameDevice = registry.printer(printer.id)?.url == printer.url
            if !isSameDevice { contactTimes[printer.id] = nil }
            await leave(printer, isSameDevice: isSameDevice)
            // What still waits for the old device ends, and asks for the new one.
            contacts[printer.id]?.cancel()
            if snapshot.printer(printer.id) != nil { contactAfresh(printer.id) }
        }
        if isRunning { await endOrphans() }
        alarm.ring()
        dispatchAll()
        abortUnprintable()
    }

    /// Closes what is kept warm for a printer as it was saved, once no job that was sent so is on it: a new password is
    /// no reason to cut paper in two.
    private func leave(_ printer: SavedPrinter, isSameDevice: Bool) async {
        if isSameDevice, board.printers[printer.id]?.current != nil {
            outdated[printer.id, default: []].append(printer.target)
        } else {
            await transports[printer.url.scheme]?.forget(printer.target)
        }
    }

    /// The printer is free: what was kept open for the job that was on it, as the printer was saved then, is closed.
    func leaveOutdated(_ id: PrinterID) {
        // As it is saved now too, where only its secrets changed: the connection is still the old login's.
        guard let targets = outdated.removeValue(forKey: id) else { return }
        leaving[id] = Task { [transports, before = leaving[id]] in
            await before?.value
            for target in targets { await transports[target.url.scheme]?.forget(target) }
        }
    }

    /// The secrets changed: every printer that is logged in to with one of them is asked anew at once, and its jobs go
    /// on. Others are left alone: a refused login that did not change would be refused again. Returns who is asked.
    @discardableResult
    public func credentialsChanged(_ isChanged: @Sendable (String) -> Bool = { _ in true }) async -> [PrinterID] {
        let concerned = snapshot.printers.filter { $0.credentials.map(isChanged) == true }
        for printer in concerned {
            await leave(printer, isSameDevice: true)
            contactAfresh(printer.id)
        }
        return concerned.map(\.id)
    }

    /// Follows the registry's changes, however they came about.
    func followRegistry() async {
        let changes = registry.changes
        // What changed between the engine's start and now.
        await applyRegistry()
        for await change in changes {
            await applyRegistry()
            switch change {
            case .reloaded:
                logger.info(
                    "the registry is reloaded: \(snapshot.printers.count) printers, \(snapshot.roles.count) roles")
                hub.publish(.registryReloaded)
            case .refused(let error):
                logger.error("the registry is refused, the last good one stays in force: \(error)")
                hub.publish(.registryRefused, message: "\(error)")
            }
        }
    }

    /// Reloads the registry whenever its file changes.
    func watchRegistry() async {
        do {
            try await registry.watch()
        } catch {
            logger.error("the registry's file is not watched: \(error); after an edit send SIGHUP")
        }
    }

    /// Jobs that a removed printer may have can be asked for no more.
    func endOrphans() async {
        for id in active.keys {
            // Looked up each time: the one before may have taken a while to store.
            guard let entry = active[id], entry.task == nil, entry.record.stage.isInDoubt,
                let printer = entry.record.job.printer, snapshot.printer(printer) == nil
            else { continue }
            board.remove(id, from: entry.record.destination)
            await carryOut(tell(id, .cannotBeAsked(Self.removed(printer))), for: id, leaving: printer)
        }
    }
}
