import KioskIPPCodec
public import KioskPrintModel

/// Finds out what a printer took of a ticket by the job's own attributes, where its response to the delivery, which
/// names those that it ignored, was lost. No I/O.
///
/// A printer copies the job template attributes that it took to the job (RFC 8011 §4.3.4.2). Not every printer tells
/// them again, so that a missing one proves nothing.
struct TicketInquiry {
    /// The attributes to ask the printer for, as they were sent.
    let sent: [IPPAttribute]
    /// The remarks that the printer's response adds to.
    private let known: [String]

    /// Throws why the printer would not have been sent the job at all.
    init(
        _ ticket: Ticket, for printer: PrinterCapabilities, format: DocumentFormat
    ) throws(TicketRequest.Refusal) {
        var ticket = ticket
        // A printer that took the job although it may not ignore anything has met both, and tells no PIN.
        (ticket.fidelity, ticket.jobPassword, ticket.jobPasswordEncryption) = (nil, nil, nil)
        let request = try TicketRequest(ticket, for: printer, format: format, roll: nil)
        known = request.remarks
        // Jobs wait here in the order of their priority whether or not the printer knows of it.
        sent = request.jobAttributes.filter { $0.name != "job-priority" }
    }

    /// `job`: its attributes; nil where the printer could not be asked.
    func remarks(_ job: IPPGroup?) -> [String] {
        var remarks = known
        let replaced = sent.filter { attribute in job?[attribute.name].map { !Self.meets($0, attribute) } ?? false }
        if !replaced.isEmpty {
            remarks.append("the printer ignored or replaced attributes of the job: \(Self.list(replaced))")
        }
        let untold = sent.filter { job?[$0.name] == nil }
        if !untold.isEmpty {
            remarks.append(
                "whether the printer took these is not known, since its response was lost: \(Self.list(untold))")
        }
        return remarks
    }

    /// Whether a job has what was asked for. Of a collection the printer may tell more members.
    private static func meets(_ told: IPPAttribute, _ sent: IPPAttribute) -> Bool {
        guard let wanted = sent.values.first?.collection else { return told.values == sent.values }
        guard let collection = told.values.first?.collection else { return false }
        return wanted.attributes.allSatisfy { member in
            collection[member.name].map { meets($0, member) } ?? false
        }
    }

    private static func list(_ attributes: [IPPAttribute]) -> String {
        attributes.map(\.name).joined(separator: ", ")
    }
}

extension IPPTransport {
    public func remarks(
        on job: RemoteJob, of delivery: Delivery, at printer: PrinterTarget
    ) async throws -> [String] {
        try await call(printer) { client in
            let capabilities = try await self.capabilities(client)
            let inquiry: TicketInquiry
            do throws(TicketRequest.Refusal) {
                inquiry = try TicketInquiry(delivery.ticket, for: capabilities, format: delivery.document.format)
            } catch {
                // It has the job all the same; what it says of itself has changed since.
                return []
            }
            guard !inquiry.sent.isEmpty else { return inquiry.remarks(nil) }
            var request = try client.jobRequest(
                .getJobAttributes, job, requesting: ["job-id", "job-name"] + inquiry.sent.map(\.name))
            request.user = UserName.make(delivery.user)
            let response = try await client.send(request)
            let attributes = IPPGroup(.job, response.message.groups(.job).flatMap(\.attributes))
            let isTold =
                response.message.status.isSuccess && attributes["job-id"]?.integer ?? job.ippJobID == job.ippJobID
                && attributes["job-name"]?.string.map { JobName.matches($0, jobID: delivery.jobID) } ?? true
            return inquiry.remarks(isTold ? attributes : nil)
        }
    }
}
