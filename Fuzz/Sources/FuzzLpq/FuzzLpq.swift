import FuzzLoop

@main enum FuzzLpq {
    static func main() { fuzz(LpqProperties.check) }
}
