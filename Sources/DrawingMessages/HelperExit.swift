/// Exit statuses of the program that draws.
package enum HelperExit {
    /// The program was ended by a signal of a crash that another process sent. (EX_TEMPFAIL of sysexits.h.)
    package static let killedByOthers: Int32 = 75
}
