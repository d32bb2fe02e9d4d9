import FuzzLoop

@main enum FuzzPaper {
    static func main() { fuzz(PaperProperties.check) }
}
