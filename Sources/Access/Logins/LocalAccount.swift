/// A user of this machine, as the kernel named them when they asked for a one-time code: a session that is opened with
/// the code has their rights, and no more.
package struct LocalAccount: Hashable, Sendable {
    package var uid: UInt32
    /// The primary group and the supplementary ones, as they were at that moment.
    package var groups: Set<UInt32>
    /// The user database's name, or the number where there is none.
    package var name: String

    package init(uid: UInt32, groups: Set<UInt32>, name: String) {
        self.uid = uid
        self.groups = groups
        self.name = name
    }
}
