/// The real server that a world simulates where their behaviour differs (Twake TW-1).
package enum Edition: Hashable, Sendable {
    /// The server of 2021, eras A and B.
    case of2021
    /// The last server, era C. It sends the head again after each reply, repeats the frames of replies, updates a
    /// channel's last message when it is edited, and hides the text of exceptions.
    case last
}
