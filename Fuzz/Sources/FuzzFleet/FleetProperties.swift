import KioskFleet

/// What must hold for whatever comes from a hub. The input's first line is the subject, the lines to the first empty
/// one are headers, the rest is the body.
enum FleetProperties {
    static func check(_ bytes: [UInt8]) {
        let message = message(bytes)
        if let subject = FleetSubject(message.subject), subject.text != message.subject {
            fatalError("a subject that is written otherwise")
        }
        if let position = StoredPosition(replySubject: message.subject), position.storedAt < 0 {
            fatalError("a message from before 1970")
        }
        if let address = try? HubAddress([message.subject]), address.description.contains("@") {
            fatalError("an address with a login")
        }
        checkJob(message)
        checkReports(message.body)
        checkConfiguration(message)
        checkIdentity(message)
    }

    private static func message(_ bytes: [UInt8]) -> HubMessage {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 64, omittingEmptySubsequences: false)[...]
        let subject = String(decoding: lines.popFirst() ?? [], as: UTF8.self)
        var headers: [String: String] = [:]
        while let line = lines.popFirst(), !line.isEmpty {
            let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
            headers[String(decoding: parts[0], as: UTF8.self)] = String(
                decoding: parts.count > 1 ? parts[1] : [], as: UTF8.self)
        }
        return HubMessage(
            subject: subject, headers: headers, body: Array(lines.joined(separator: [UInt8(ascii: "\n")])))
    }

    private static func checkJob(_ message: HubMessage) {
        let job: FleetJob
        do throws(FleetError) {
            job = try FleetJob(message)
        } catch {
            return check(error)
        }
        let again = HubMessage(subject: message.subject, headers: job.headers, body: message.body)
        guard (try? FleetJob(again)) == job else { fatalError("a job that reads otherwise when it is written again") }
        guard (1...FleetDocument.maximumLength).contains(job.length) else { fatalError("a length without a bound") }
        for text in [job.name, job.ticket ?? "", job.digest, job.idempotencyKey] where hasControls(text) {
            fatalError("a text that is not clean")
        }
        if case .url(let address) = job.place { check(address, of: message) }
    }

    private static func check(_ address: DocumentAddress, of message: HubMessage) {
        guard Array(address.text.utf8) == message.body, message.body.count <= DocumentAddress.maximumLength else {
            fatalError("an address that is not its message's")
        }
        guard address.target.hasPrefix("/"), (1...65535).contains(address.port), !address.host.isEmpty else {
            fatalError("an address of which no request can be made")
        }
        for text in [address.target, address.authority, "\(address)"] where hasControls(text) || text.contains(" ") {
            fatalError("an address that ends a request's line")
        }
        if "\(address)".contains("?") || address.authority.contains("@") {
            fatalError("an address that shows its secret")
        }
    }

    private static func checkReports(_ body: [UInt8]) {
        do throws(FleetError) {
            let report = try FleetReport(HubMessage(subject: "reports.1.x", body: body))
            guard try FleetReport(HubMessage(subject: "", body: report.body())) == report else {
                fatalError("a report that reads otherwise when it is written again")
            }
        } catch {
            check(error)
        }
        do throws(FleetError) {
            let status = try KioskStatus(HubMessage(subject: "$KV.STATUS.1.x", body: body))
            guard try KioskStatus(HubMessage(subject: "", body: status.body())) == status else {
                fatalError("a status that reads otherwise when it is written again")
            }
        } catch {
            check(error)
        }
    }

    private static func checkConfiguration(_ message: HubMessage) {
        do throws(FleetError) {
            let report = try ConfigurationReport(message)
            guard try ConfigurationReport(HubMessage(subject: "", body: report.body())) == report else {
                fatalError("a report on a configuration that reads otherwise when it is written again")
            }
        } catch {
            check(error)
        }
        do throws(FleetError) {
            let record = try AuditRecord(message)
            guard try AuditRecord(HubMessage(subject: "", body: record.body())) == record else {
                fatalError("an audit record that reads otherwise when it is written again")
            }
        } catch {
            check(error)
        }
        do throws(FleetError) {
            let desired = try DesiredConfiguration(message)
            guard (desired?.text.count ?? 0) <= DesiredConfiguration.maximumLength else {
                fatalError("a configuration without a bound")
            }
        } catch {
            check(error)
        }
    }

    private static func checkIdentity(_ message: HubMessage) {
        for role in [NKeyRole.account, .operator, .user] {
            if let key = try? NKey(message.subject, of: role), key.text != message.subject {
                fatalError("a key that is written otherwise")
            }
        }
        do throws(FleetError) {
            let token = try CredentialsFile.token(in: message.body)
            guard try UserToken(token.text) == token else { fatalError("a token that reads otherwise") }
        } catch {
            check(error)
        }
        do throws(FleetError) {
            let login = try KioskLogin(message.body)
            let again = try KioskLogin(Array(try login.text().utf8))
            guard again.token == login.token else {
                fatalError("a login that reads otherwise when it is written again")
            }
            guard try again.renewed(with: Array(login.token.text.utf8)) == nil else {
                fatalError("a login that renews itself")
            }
        } catch {
            check(error)
        }
    }

    private static func check(_ error: FleetError) {
        if hasControls(error.description) { fatalError("an error that a terminal obeys") }
    }

    private static func hasControls(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
