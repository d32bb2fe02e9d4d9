public import PrintModel

extension EngineEvent {
    /// This event for the stream: its kind as the type, itself as JSON. Progress is never stored, so it carries no id
    /// to resume from.
    public func serverSentEvent() throws -> ServerSentEvent {
        ServerSentEvent(
            id: kind == .jobProgress ? nil : String(id), event: kind.rawValue,
            data: String(decoding: try APIJSON.encode(self), as: UTF8.self)
        )
    }

    /// Nil for an event of a kind that this version does not know.
    public init?(_ event: ServerSentEvent) throws {
        guard Kind(rawValue: event.event) != nil else { return nil }
        self = try APIJSON.decode(EngineEvent.self, from: Array(event.data.utf8))
    }
}
