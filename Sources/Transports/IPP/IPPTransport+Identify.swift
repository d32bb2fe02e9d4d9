import KioskIPPCodec
public import KioskPrintModel

extension IPPTransport {
    /// Identify-Printer (PWG 5100.13 §5.1): the printer flashes, beeps or shows the message, as it can.
    public func identify(_ printer: PrinterTarget, message: String?) async throws -> [String] {
        try await call(printer) { client in
            let capabilities = try await self.capabilities(client)
            guard capabilities.supports(.identifyPrinter) else {
                // A printer that was replaced is asked anew the next time.
                client.knowledge.capabilities = nil
                throw TransportError(
                    .notSupported, operation: "Identify-Printer",
                    message: "\(client.printer): the printer cannot identify itself: it does not list Identify-Printer")
            }
            let actions = self.actions(for: message, among: capabilities.identifyActions)
            var request = IPPRequest(
                operation: .identifyPrinter, user: UserName.make(nil), timeouts: self.deadlines.requestTimeouts)
            if !actions.isEmpty {
                request.operationAttributes.append(IPPAttribute("identify-actions", keywords: actions))
            }
            if let message, actions.contains("display") || actions.contains("speak") {
                let text = message.withoutControlCharacters.prefix(utf8Count: Self.maximumMessageLength)
                request.operationAttributes.append(IPPAttribute("message", .text(IPPText(text))))
            }
            _ = try await client.perform(request)
            return actions
        }
    }

    /// What the printer is asked to do: whatever it can that shows where it stands. An action that needs words is left
    /// out where there are none. Empty leaves it to the printer.
    private func actions(for message: String?, among listed: [String]) -> [String] {
        Self.actions.filter { listed.contains($0) && (message != nil || !["display", "speak"].contains($0)) }
    }

    /// PWG 5100.13 §6.6.4.
    private static let actions = ["display", "flash", "sound", "speak"]
    /// RFC 8011 §5.4.21: a `message` has at most 127 octets.
    private static let maximumMessageLength = 127
}
