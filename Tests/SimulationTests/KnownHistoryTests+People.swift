// Histories that failed after people, places and presence were watched, and places changed.
extension KnownHistoryTests {
    static let ofPeopleAndPlaces: [(name: String, history: String)] = [
        (
            "a server of era A, which knows nothing of presence, was asked who is there, and believed",
            """
            era a, Engine.IO 4, seed 2, watching usual
            """
        ),
        (
            "a writer of whom a server once said that there is none stayed without a name",
            """
            era b, Engine.IO 4, seed 566, watching usual
            1245 spoil 2 8
            3107 reply 2 1 12
            """
        ),
        (
            "remembered writers were asked for before it was known how, and never again",
            """
            era a, Engine.IO 4, seed 5260, watching usual
            609 spoil 5 8
            1540 crash 0 0
            """
        ),
        (
            "what was remembered of a workspace was shown beside the one looked at before anything was found out",
            """
            era c, Engine.IO 3, seed 437
            2913 stall 40000 0
            9058 crash 1 0
            26797 look 3 0
            39080 answer 1 3
            """
        ),
        (
            "what was sent was beyond the newest page by the time it was looked for, and was sent once more",
            """
            era a, Engine.IO 3, seed 21686, watching usual
            2821 spoil 10 5
            2838 cut 1 0
            3200 send 1 2
            3954 flood 1 1 19
            """
        ),
        (
            "a remembered channel that nobody confirmed went, and left what had been sent to it",
            """
            era b, Engine.IO 3, seed 57837
            1708 look 3 2
            1710 crash 1 0
            1769 send 1 2
            """
        ),
        (
            "a remembered reply got its sender's name, and passed for confirmed",
            """
            era c, Engine.IO 3, seed 93890, watching everything
            2468 spoil 11 6
            2998 reply 2 10 16
            3426 see 0 2
            3428 create 0 0 18
            3494 crash 1 0
            3501 remove 1 0 24
            """
        ),
        (
            "a thread that a reply was moved to was taken for the quietest, and the page before it for the last",
            """
            era a, Engine.IO 4, seed 73026, watching everything, history 65
            5861 reply 3 1 30
            8200 sleep 4000000 0
            12755 flood 0 0 17
            12789 move 3 10 28
            """
        ),
        (
            "a page of the proxy listed a reply without its head, and its event then told nothing new: the head counted one too few",
            """
            era a, Engine.IO 4, seed 576940591301, watching people
            79 reply 0 0 17
            172 post 2 8 14
            201 create 1 2 32
            217 direct 2 3 22
            352 read 0 8 28
            533 reply 0 0 27
            549 delete 0 0 35
            894 react 1 1 36
            1218 add 2 1 3
            1369 reply 3 5 38
            1772 post 0 10 30
            1819 edit 3 1 24
            1875 delete 3 1 0
            2580 react 2 1 30
            2607 delete 1 7 18
            2672 rename 2 1 37
            2893 delete 0 1 29
            3289 reply 1 6 18
            3644 create 1 5 35
            3958 reply 1 7 38
            """
        ),
    ]
}
