/// What a waiting task and its cancellation know of each other.
final class WaiterTicket: @unchecked Sendable {
    // Read and written inside of `PrinterLink`'s lock only.
    var number: Int?
    var isCancelled = false
}
