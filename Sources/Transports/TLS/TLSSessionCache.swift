/// The newest sessions with one peer, so that the next connection need not shake hands in full.
///
/// One per printer is meant; sessions that began under another host, trust or identity are never used, so a cache may
/// outlive a change of these.
package final class TLSSessionCache: Sendable {
    package init() {}

    /// Forgets all.
    package func removeAll() {}
}
