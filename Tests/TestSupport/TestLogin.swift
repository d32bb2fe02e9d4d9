/// A name and a password that a gateway asks for.
package struct TestLogin: Sendable {
    package var user: String
    package var password: String

    package init(_ user: String, _ password: String) {
        self.user = user
        self.password = password
    }
}
