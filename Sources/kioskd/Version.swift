/// The version that `--version` and the API's description tell.
enum Version {
    static let text = "0.1.0"
}
