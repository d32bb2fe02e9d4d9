internal import Glibc
internal import PrintModel

/// Who may have more printed than text: administrators everything, and two groups' members a part of it.
struct PrintingRights: Sendable {
    let administrators: Administrators
    /// Its members may open drawers.
    var drawerGroup: gid_t?
    /// Its members may put raw commands into receipts, which may open drawers too.
    var commandGroup: gid_t?

    func rights(of caller: Caller) -> CallerRights {
        if administrators.include(caller) || commandGroup.map(caller.groups.contains) == true { return .all }
        return drawerGroup.map(caller.groups.contains) == true ? .drawer : []
    }

    func rights(of context: APIContext) async throws -> CallerRights { try await rights(of: administrators.identify(context)) }
}
