/// What became of a registry's file.
public enum RegistryChange: Hashable, Sendable {
    /// A new registry is in force, saved by this program or edited by someone else.
    case reloaded(Registry)
    /// The file is broken or unreadable; the last good registry stays in force.
    case refused(RegistryError)
}
