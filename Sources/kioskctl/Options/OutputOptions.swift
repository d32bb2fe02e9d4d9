import ArgumentParser

/// How results are shown.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Write JSON, as the daemon's API has it.")
    var json = false
}
