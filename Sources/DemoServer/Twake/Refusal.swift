import JSONText
import Wire

/// The reason for refusing a token, in the form of either server (Twake TW-9).
struct Refusal: Hashable, Sendable {
    private let name: String
    private let message: String
    /// The expiry in milliseconds since 1970; `nil` for a token that is not expired.
    private let expiredAt: Int64?
    private let hasToken: Bool

    init(_ verdict: Tokens.Verdict, hasToken: Bool, calendarOffset: Int64) {
        self.hasToken = hasToken
        switch verdict {
        case .expired(let at):
            (name, message, expiredAt) = ("TokenExpiredError", "jwt expired", calendarOffset + at.microseconds / 1_000)
        case .missing: (name, message, expiredAt) = ("JsonWebTokenError", "invalid token datatype", nil)
        case .refused, .valid: (name, message, expiredAt) = ("JsonWebTokenError", "invalid signature", nil)
        }
    }

    /// The refusal in the form of the library of 2021.
    var firstForm: JSONValue {
        .fields([
            "message": .string(message), "inner": .fields(["message": .string(message)]),
            "data": .fields([
                "message": .string(message), "code": .string("invalid_token"), "type": .string("UnauthorizedError"),
            ]),
        ])
    }

    /// The refusal in the form of the last server.
    var lastForm: JSONValue {
        guard hasToken else { return .fields(["err": .string("No token provided")]) }
        let error = JSONValue.fields(["name": .string(name), "message": .string(message)])
        guard let expiredAt else { return .fields(["err": error]) }
        return .fields(["err": error.adding(["expiredAt": .string(ISODate.text(milliseconds: expiredAt))])])
    }
}

/// Dates in the format of JavaScript's `toISOString`.
enum ISODate {
    /// Returns a date such as `2022-10-01T10:00:00.000Z`, from milliseconds since 1970.
    static func text(milliseconds: Int64) -> String {
        let day = Int64(86_400_000)
        let days = milliseconds >= 0 ? milliseconds / day : -((-milliseconds + day - 1) / day)
        let rest = milliseconds - days * day
        let (year, month, date) = civil(days)
        let time = [(rest / 3_600_000, 2), (rest / 60_000 % 60, 2), (rest / 1_000 % 60, 2), (rest % 1_000, 3)].map(
            padded)
        return
            "\(padded((year, 4)))-\(padded((month, 2)))-\(padded((date, 2)))T\(time[0]):\(time[1]):\(time[2]).\(time[3])Z"
    }

    private static func padded(_ number: (value: Int64, width: Int)) -> String {
        let digits = String(number.value)
        return String(repeating: "0", count: max(0, number.width - digits.count)) + digits
    }

    /// Returns the Gregorian date of a number of days since 1970. Years begin in March, so that the leap day is the
    /// last day of a year.
    private static func civil(_ days: Int64) -> (Int64, Int64, Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let calendarMonth = month < 10 ? month + 3 : month - 9
        return (
            yearOfEra + era * 400 + (calendarMonth <= 2 ? 1 : 0), calendarMonth, dayOfYear - (153 * month + 2) / 5 + 1
        )
    }
}
