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
    func learn(_ client: IPPClient) async throws(TransportError) -> IPPGroup {
        let reply = try await client.perform(
            IPPRequest(
                operation: .getPrinterAttributes, user: UserName.make(nil),
                operationAttributes: [
                    IPPAttribute("requested-attributes", keywords: PrinterFacts.requestedAttributes)
                ],
                patience: deadlines.forQuestion
            )
        )
        // Groups may be repeated (RFC 8010 §3.1.2); of an attribute that stands twice the first counts.
        let attributes = IPPGroup(.printer, reply.message.groups(.printer).flatMap(\.attributes))
        client.knowledge.facts = PrinterFacts(attributes)
        return attributes
    }

    /// What is known of the printer; asked for where it is not.
    func facts(_ client: IPPClient) async throws(TransportError) -> PrinterFacts {
        if let facts = client.knowledge.facts { return facts }
        return PrinterFacts(try await learn(client))
    }
}
