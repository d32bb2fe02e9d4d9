import IPPCodec
public import PrintModel

extension IPPTransport {
    public func contact(_ printer: PrinterTarget) async throws -> ContactReport {
        let attributes = try await call(printer) { try await self.learn($0) }
        return ContactReport(
            description: PrinterDescription(attributes), availability: Availability(attributes)
        )
    }

    /// Get-Printer-Attributes; what deliveries need of the answer is kept.
    @discardableResult
    func learn(_ client: IPPClient, carryingLogin: Bool = true) async throws(TransportError) -> IPPGroup {
        client.knowledge.doubtNameRefusal()
        let request = IPPRequest(
            operation: .getPrinterAttributes, user: UserName.make(nil),
            operationAttributes: [IPPAttribute("requested-attributes", keywords: PrinterFacts.requestedAttributes)],
            patience: deadlines.forQuestion, carriesLogin: carryingLogin
        )
        let reply = try await client.ask(request)
        // Groups may be repeated (RFC 8010 §3.1.2); of an attribute that stands twice the first counts.
        let attributes = IPPGroup(.printer, reply.message.groups(.printer).flatMap(\.attributes))
        // The Canon SELPHY CP1500 answers with an internal error, and all that was asked for.
        let isAnswered = attributes["printer-state"] != nil && attributes["operations-supported"] != nil
        guard reply.message.status.isSuccess || isAnswered else { throw client.error(reply, request) }
        client.knowledge.facts = PrinterFacts(attributes)
        client.knowledge.manners = manners(of: client.link.target, attributes)
        return attributes
    }

    /// What is known of the printer; asked for where it is not.
    func facts(_ client: IPPClient) async throws(TransportError) -> PrinterFacts {
        if let facts = client.knowledge.facts { return facts }
        return PrinterFacts(try await learn(client))
    }
}
