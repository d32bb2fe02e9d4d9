/// libFuzzer's loop. SwiftPM renames an executable's main, so the loop is entered from ours rather than being it.
@_silgen_name("LLVMFuzzerRunDriver")
private func runLibFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

@main enum FuzzLpq {
    static func main() {
        var count = CommandLine.argc
        var arguments = CommandLine.unsafeArgv
        _ = runLibFuzzer(&count, &arguments) { start, count in
            LpqProperties.check(Array(UnsafeBufferPointer(start: start, count: count)))
            return 0
        }
    }
}
