/// How a receipt printer is spoken to beyond its documents: what it can be asked, how it says that a job has come out,
/// and how it begins anew after a broken one. As its profile says; what that leaves open has the standard that stands
/// here.
public struct DeviceSettings: Hashable, Sendable, Codable {
    /// Nil goes by the printer's device id; without one the printer is asked nothing.
    public var language: Language?
    /// The strongest way in which it confirms a job. Nil takes what every printer of the language knows.
    public var completion: Completion?
    public var status: StatusRequests
    public var recovery: Recovery
    /// What becomes of the piece of a receipt that a cancelled job leaves.
    public var afterCancel: Ending
    /// The slowest that its paper moves, in millimetres a second. Nil assumes a slow printer.
    public var paperSpeed: Int?
    /// The level on the drawer connector's sense pin that means an open drawer; nil where no drawer is watched.
    public var drawerOpen: DrawerLevel?
    /// How it departs from the printer class, where it hangs on a USB cable.
    public var usb: USBSettings

    public enum Language: String, Hashable, Sendable, Codable, CaseIterable {
        case escPOS = "esc-pos"
        case starLine = "star-line"
    }

    public enum Completion: String, Hashable, Sendable, Codable, CaseIterable {
        /// ESC/POS `GS ( H` function 48: an id comes back when the paper has come out.
        case processID = "process-id"
        /// ESC/POS `GS r`: answered when all before it has been worked through.
        case statusRequest = "status-request"
        /// Star `ETB`: counted when the paper has come out.
        case etb
        /// It does not: what has been sent counts.
        case none
    }

    public enum StatusRequests: String, Hashable, Sendable, Codable, CaseIterable {
        /// It is never asked: it would print the question, or stumble over it.
        case never
        case betweenJobs = "between-jobs"
        /// Also during a job that does not move on, since it answers real-time commands wherever they stand.
        case realTime = "real-time"
    }

    public enum Recovery: String, Hashable, Sendable, Codable, CaseIterable {
        /// ESC/POS `DLE DC4` function 8 or Star `CAN`, which end whatever the printer is in.
        case clearBuffers = "clear-buffers"
        /// As many NULs as may be lacking, and then the language's command to begin anew.
        case padding
    }

    public enum Ending: String, Hashable, Sendable, Codable, CaseIterable {
        case cut, feed
        case leave
    }

    public enum DrawerLevel: String, Hashable, Sendable, Codable, CaseIterable {
        case low, high
    }

    public init(
        language: Language? = nil, completion: Completion? = nil, status: StatusRequests = .betweenJobs,
        recovery: Recovery = .padding, afterCancel: Ending = .cut, paperSpeed: Int? = nil,
        drawerOpen: DrawerLevel? = nil,
        usb: USBSettings = USBSettings()
    ) {
        self.language = language
        self.completion = completion
        self.status = status
        self.recovery = recovery
        self.afterCancel = afterCancel
        self.paperSpeed = paperSpeed
        self.drawerOpen = drawerOpen
        self.usb = usb
    }

    enum CodingKeys: String, CodingKey {
        case language, completion, status, recovery
        case afterCancel = "after-cancel"
        case paperSpeed = "paper-speed"
        case drawerOpen = "drawer-open"
        case usb
    }
}
