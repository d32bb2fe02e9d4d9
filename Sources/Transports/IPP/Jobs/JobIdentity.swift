import IPPCodec

/// What tells a job from another with the same number: printers count anew when they are switched off and on.
struct JobIdentity: Equatable, Sendable {
    static let requestedAttributes = ["job-uuid", "job-printer-up-time"]

    /// PWG 5100.13 §6.1.
    var uuid: String?
    /// The printer's up-time at the answer (RFC 8011 §5.3.14.4): it never goes back while the printer is on.
    var upTime: Int32?

    init(uuid: String? = nil, upTime: Int32? = nil) {
        self.uuid = uuid
        self.upTime = upTime
    }

    init(_ attributes: IPPGroup) {
        self.init(uuid: attributes["job-uuid"]?.string, upTime: attributes["job-printer-up-time"]?.integer)
    }

    /// Whether a later answer about the same number may be about the same job.
    func mayBecome(_ later: JobIdentity) -> Bool {
        if let uuid, let laterUUID = later.uuid { return uuid == laterUUID }
        if let upTime, let laterTime = later.upTime { return upTime <= laterTime }
        return true
    }
}
