import KioskAPIMessages
import KioskAdminPage
import KioskPrintModel
import Testing

/// A text that would be markup, an event handler, a script's end or another direction where it is not escaped.
let hostileText = "\"><script>alert('1')</script><img src=x onerror=alert(2)>&amp;\u{202E}\u{0}\u{1B}[31m</textarea>"

/// Printers and roles in every state, with hostile names.
enum Samples {
    static func status(
        _ id: PrinterID, _ availability: Availability, name: String? = nil, roles: [RoleName] = [], jobs: Int = 0
    ) throws -> PrinterStatus {
        var status = PrinterStatus(
            printer: SavedPrinter(
                id: id, url: try PrinterURL("ipp://192.0.2.1/ipp/print"), name: name, location: hostileText),
            availability: availability,
            description: PrinterDescription(
                name: hostileText, location: hostileText, makeAndModel: hostileText, jobTypes: [.receipt, .document],
                formats: [.pdf], media: [hostileText], mediaReady: [hostileText], isColor: true,
                sides: ["one-sided", "two-sided-long-edge"], resolutions: [203],
                supplies: [
                    Supply(name: hostileText, level: -3), Supply(name: "Black", level: 40), Supply(name: "Waste"),
                ], pagesLeft: 3),
            quirks: [
                Quirk(name: .chunked, value: hostileText, why: hostileText, source: hostileText, profile: hostileText)
            ],
            contactedAt: Timestamp(millisecondsSince1970: 1_700_000_000_000), roles: roles, jobCount: jobs)
        status.nextContactAt = Timestamp(millisecondsSince1970: 1_700_000_100_000)
        return status
    }

    static func statuses() throws -> [PrinterStatus] {
        try Availability.State.allCases.enumerated().map { index, state in
            let id = try #require(PrinterID(rawValue: "till-\(index)"))
            return try status(
                id,
                Availability(
                    state,
                    reasons: [
                        StateReason(keyword: "media-empty", severity: .error),
                        StateReason(keyword: hostileText, severity: .warning),
                        StateReason(keyword: "media-low", severity: .report),
                    ], message: hostileText), name: index.isMultiple(of: 2) ? hostileText : nil,
                roles: ["receipt", "kitchen"], jobs: index)
        }
    }

    static func role() -> Role {
        Role(name: "receipt", printers: ["till-0", "till-3", "gone"], expiresAfter: 600)
    }

    /// A kiosk in a fleet, with jobs of every stage.
    static func fleet(_ change: (inout FleetInformation) -> Void = { _ in }) -> FleetInformation {
        let time = Timestamp(millisecondsSince1970: 1_700_000_000_000)
        let stages = ["claimed", "accepted", "unconfirmed", "ended", "refused"]
        var fleet = FleetInformation(
            site: "0147", node: "kiosk-1", servers: ["tls://hub-1.example:4222", "tls://hub-2.example:4222"],
            connection: .init(isConnected: true, since: time, lastReachedAt: time), takenUpTo: time,
            reports: .init(waiting: 2, oldest: time),
            jobs: stages.enumerated().map { index, stage in
                .init(key: "key-\(index)", job: index == 4 ? nil : Job.ID(index + 17), stage: stage, storedAt: time)
            }, configuration: .init(mode: "off"))
        change(&fleet)
        return fleet
    }

    /// The same with hostile values, without its hub.
    static func hostileFleet() -> FleetInformation {
        fleet { fleet in
            let time = fleet.connection.since
            (fleet.site, fleet.node, fleet.servers) = (hostileText, hostileText, [hostileText])
            fleet.connection = .init(isConnected: false, since: time, problem: hostileText)
            fleet.loginEndsAt = time
            fleet.pair = .init(holder: hostileText + "2", takesJobs: false)
            fleet.jobs = [.init(key: hostileText, job: 17, stage: hostileText, storedAt: time)]
            fleet.reports = .init(waiting: FleetInformation.Reports.maximumWaiting, oldest: time)
            fleet.configuration = .init(
                mode: hostileText, desired: .max, applied: 12, hasDrift: true,
                error: .init(line: 3, column: 19, text: hostileText))
            fleet.checks = HealthReport.Status.allCases.map {
                .init(code: hostileText, subject: hostileText, status: $0, message: hostileText)
            }
        }
    }

    /// Every screen of the page by its name, with hostile values wherever a value is shown.
    static func screens(_ texts: Texts) throws -> [(name: String, screen: PageScreen)] {
        let statuses = try statuses()
        let printer = try #require(statuses.first)
        var form = PrinterForm(printer.printer)
        form.url = hostileText
        form.trust = hostileText
        var mistakes = PrinterForm.Mistakes()
        do { _ = try form.printer(id: "till-0") } catch { mistakes = error }
        let versions = [
            ChangesScreen.Version(
                number: 3, savedAt: Timestamp(millisecondsSince1970: 0), text: "a\n\(hostileText)\nc\n",
                actor: hostileText),
            ChangesScreen.Version(number: 2, savedAt: Timestamp(millisecondsSince1970: 0), text: "a\nb\nc\n"),
        ]
        let checks = HealthReport.Status.allCases.map {
            HealthReport.Check(code: hostileText, subject: hostileText, status: $0, message: hostileText)
        }
        let report = HealthReport(
            checks: checks, printersAvailable: 1, printersSaved: 2, jobsWaiting: 1, jobsUnconfirmed: 0, jobsLost: 1,
            oldestWaitingSeconds: 3)
        let entry = RolesScreen.Entry(role: role(), revision: "r1")
        return [
            ("printers", PrintersScreen(printers: statuses).screen(texts)),
            ("no printers", PrintersScreen(printers: []).screen(texts)),
            (
                "printer",
                PrinterScreen(
                    status: printer, revision: "r1", profiles: [(name: hostileText, description: hostileText)],
                    form: form, mistakes: mistakes, changedTo: printer.printer
                ).screen(texts)
            ),
            (
                "remove printer",
                RemovePrinterScreen(printer: printer.printer, roles: ["receipt"], revision: "r1").screen(texts)
            ),
            ("roles", RolesScreen(roles: [entry], printers: statuses, newName: hostileText).screen(texts)),
            ("no roles", RolesScreen(roles: [], printers: []).screen(texts)),
            (
                "role",
                RoleScreen(
                    role: role(), revision: "r1",
                    form: RoleForm(FormFields("expires-after=%22%3E".utf8) ?? FormFields()),
                    mistakes: RoleForm.Mistakes(fields: ["expires-after", "page-limit"])
                ).screen(texts)
            ),
            ("remove role", RemoveRoleScreen(role: "receipt", revision: "r1").screen(texts)),
            ("health", HealthScreen(report: report, printers: ["till-0": hostileText]).screen(texts)),
            ("fleet", FleetScreen(fleet: fleet()).screen(texts)),
            ("fleet without its hub", FleetScreen(fleet: hostileFleet()).screen(texts)),
            ("fleet without records", FleetScreen(fleet: fleet { ($0.reports, $0.jobs) = (nil, []) }).screen(texts)),
            ("changes", ChangesScreen(versions: versions, problem: hostileText).screen(texts)),
            ("no changes", ChangesScreen(versions: []).screen(texts)),
            ("restore", RestoreScreen(version: versions[1], newest: versions[0]).screen(texts)),
            ("problem", ProblemScreen(title: hostileText, detail: hostileText).screen(texts)),
        ]
    }
}
