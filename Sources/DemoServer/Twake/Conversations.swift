/// The texts of the team in the scenario `workspace`.
enum Conversations {
    /// A head message and its replies, in one channel.
    struct Topic: Hashable, Sendable {
        var channel: String
        var lines: [String]
    }

    static let topics: [Topic] = [
        Topic(
            channel: "engineering",
            lines: [
                "The nightly build is red again: three tests time out on the small machines.",
                "Same three as last week?", "Yes. They wait for a fixed time instead of the event.",
                "I'll make them wait for the thing itself.", "Thank you! That test has cost us days 🙏",
            ]),
        Topic(
            channel: "engineering",
            lines: [
                "Memory of the gateway grew by 40 MB since Monday.", "Since the cache change, I think.",
                "Is there a bound on it?", "There is now: 10 000 entries, oldest out first.",
                "Flat for an hour. Closing 📉",
            ]),
        Topic(
            channel: "engineering",
            lines: [
                "Who can review the reconnect change?", "I can, after lunch.",
                "What happens when the token expires in between?",
                "It asks for a new one and joins every room again.", "Approved ✅",
            ]),
        Topic(
            channel: "engineering",
            lines: [
                "Does anybody know why we store times in seconds here?", "History. Everything new is in milliseconds.",
                "So 1620987774 and 1620987774000 are the same instant 🙃", "Only on a good day.",
            ]),
        Topic(
            channel: "design",
            lines: [
                "New empty state for the inbox: “Nothing to read. Enjoy it.”",
                "I like it. Is there a shorter one for phones?",
                "“All read.”", "Perfect. Shipping both 🎨",
            ]),
        Topic(
            channel: "design",
            lines: [
                "Contrast of the grey badge is 3.9:1, we need 4.5:1.", "Then #5f6368 instead of #80868b?",
                "That gives 6.0:1 👍",
                "Updated in the library.",
            ]),
        Topic(
            channel: "support",
            lines: [
                "A customer in São Paulo sees messages twice after the train tunnel.",
                "Do they have the version from Tuesday?", "The one before.",
                "Then it is the duplicate we fixed. Ask them to update.",
                "They did, and it is gone. Obrigado 🇧🇷",
            ]),
        Topic(
            channel: "support",
            lines: [
                "Ticket 4711: the counter says 3, the list shows 2.", "Was one of the threads deleted meanwhile?",
                "Yes, a minute before.", "Then the counter is right again after the next refresh; noted as a bug 🐞",
            ]),
        Topic(
            channel: "general",
            lines: [
                "Tomorrow at 10:00: everybody shows what they built this week, five minutes each.",
                "Can I go first? I have a train at 11.", "Sure!", "I'll bring cake 🍰",
            ]),
        Topic(
            channel: "general",
            lines: [
                "Please welcome our two interns, who start on Monday 👋", "Welcome! Which team?",
                "One in design, one in support.", "And both get a plant for their desk 🪴",
            ]),
        Topic(
            channel: "random",
            lines: [
                "Lunch? There is ramen on the corner 🍜", "Yes! 12:15?", "Make it 12:30, I am in a call.",
                "12:30 then. Table for five.",
            ]),
        Topic(
            channel: "random",
            lines: [
                "The office cat has been sitting on the router since nine.", "That explains the latency 🐈",
                "She says it is warm there.", "Ship it.",
            ]),
        Topic(
            channel: "random",
            lines: [
                "Today's word: «Feierabend» – the end of work, and the evening that begins with it.",
                "In Japanese: お疲れ様でした", "In Danish we say «fyraften», the same word!", "In Arabic: يعطيك العافية 🌙",
            ]),
        Topic(
            channel: "leads",
            lines: [
                "Hiring: three good candidates for the platform role.", "Interviews on Thursday?",
                "Thursday afternoon, yes.", "I'll prepare the exercise.",
            ]),
    ]

    /// Messages that get no replies.
    static let remarks: [(channel: String, text: String)] = [
        ("engineering", "Staging is back: 214 tests, all green 🟢"),
        ("engineering", "p99 of the feed is down to 38 ms."),
        ("engineering", "@ana.lima the trace you asked for is in the ticket."),
        ("general", "The door code changes tonight; the new one is in the vault 🔑"),
        ("general", "@all fire drill at 15:00, please take the stairs."),
        ("design", "Icons are exported again, 24 and 32 px."),
        ("support", "Queue is empty. I repeat: the queue is empty 🎉"),
        ("support", "Reminder: the status page is edited by whoever is on call."),
        ("random", "It snows ❄️ in April."), ("random", "Coffee machine: fixed. Coffee: still coffee ☕️"),
    ]

    /// Messages for direct channels between two users.
    static let asides = [
        "Do you have five minutes?", "I sent you the numbers.", "Thanks for yesterday 🙏",
        "Can we move our meeting to 14:30?",
        "Found it: it was the proxy.", "Your slides are great.", "I am five minutes late 🏃‍♀️",
        "Shall I take the call with them?",
    ]

    static let emoji = ["👍", "❤️", "🎉", "😄", "👀", "🚀", "🙏", "✅"]

    /// Names of channels that are created and later deleted.
    static let projects: [(name: String, icon: String)] = [
        ("Offsite in Porto", "🌊"), ("Incident 2217", "🚨"), ("Search prototype", "🔎"), ("Reading circle", "📚"),
        ("Translation: Čeština", "🌍"), ("Bike to work", "🚲"),
    ]
}
