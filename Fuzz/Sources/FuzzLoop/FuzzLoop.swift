/// libFuzzer's loop. SwiftPM renames an executable's main, so the loop is entered from ours rather than being it.
@_silgen_name("LLVMFuzzerRunDriver")
private func runLibFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// What the loop calls: a C function carries nothing along.
nonisolated(unsafe) private var property: ([UInt8]) -> Void = { _ in }

/// Under the name that libFuzzer's own main looks for, which a debug build links in.
@_cdecl("LLVMFuzzerTestOneInput")
package func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    property(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

/// Hands inputs to `check`, which traps where something does not hold, for as long as the command line says.
package func fuzz(_ check: @escaping ([UInt8]) -> Void) {
    property = check
    var count = CommandLine.argc
    var arguments = CommandLine.unsafeArgv
    _ = runLibFuzzer(&count, &arguments, testOneInput)
}
