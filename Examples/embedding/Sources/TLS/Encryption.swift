/// Whether what goes to a printer of this URL scheme cannot be read on its way.
public func isUsed(by scheme: String) -> Bool {
    ["https", "ipps"].contains(scheme)
}
