/// The `wait` parameter: for how many whole seconds a request may stay open until the job is settled.
public enum WaitParameter {
    public static let key = "wait"

    /// Nil where the query does not ask to wait; throws a `Problem` for anything but 0 to `APILimits.maximumWait`.
    public static func parse(_ items: QueryItems) throws -> Int? {
        let range = 0...APILimits.maximumWait
        return try items.value(key, write: "whole seconds from 0 to \(APILimits.maximumWait)") {
            Int(digits: $0, in: range)
        }
    }
}
