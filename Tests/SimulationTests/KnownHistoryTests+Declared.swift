extension KnownHistoryTests {
    static let ofDeclared: [(name: String, history: String)] = [
        (
            "rows of an earlier process that nothing had changed were taken for gone",
            """
            era declared, seed 58
            191880 crash 0 0
            """
        ),
        (
            "an edit in a room that was left for a while brought back a message of it, and with the room it did not go",
            """
            era declared, seed 80
            1346 create 1 1 32
            3601 rename 1 5 32
            3723 create 3 3 22
            6066 create 2 0 17
            7229 flood 1 8 39
            9126 pause 7 30
            9513 edit 1 0 33
            11221 erase 3 2 20
            """
        ),
        (
            "nor did one that was told after the end of its channel",
            """
            era declared, seed 95
            3978 erase 0 1 30
            4049 create 2 4 4
            4101 post 2 0 2
            4107 erase 3 9 5
            """
        ),
        (
            "the answer to a message of the user's own came after the end of its channel",
            """
            era declared, seed 100274
            103823 erase 1 1 38
            104054 post 0 1 39
            104062 send 3 0
            104081 erase 2 0 11
            104094 post 1 11 12
            104110 erase 0 11 25
            """
        ),
        (
            "and in a room that was left meanwhile",
            """
            era declared, seed 100107
            4399 pause 6 5
            7313 send 0 0
            7572 erase 1 6 21
            """
        ),
        (
            "and in one of which only an earlier process had told, so that nobody followed it when it ended",
            """
            era declared, seed 2955
            1332 spoil 12 3
            2655 crash 0 0
            7512 send 3 0
            8117 send 1 0
            14999 erase 3 1 29
            """
        ),
        // Frames delayed until the first sleep's end were delayed once more, and so arrived after
        // later frames of the same socket.
        (
            "while one sleep followed another, a message overtook one that was sent before it",
            """
            era declared, seed 2940
            510 create 0 11 25
            798 sleep 5000 0
            1018 post 1 0 14
            1025 post 0 9 31
            1104 sleep 5000 0
            1106 delete 0 0 19
            """
        ),
        (
            "what an overtaken answer listed was taken out of the midst of older messages, and left a hole",
            """
            era declared, seed 200165
            1541 spoil 4 4
            4040 spoil 5 7
            4235 spoil 15 8
            5112 amend 3 0
            5270 cut 0 0
            6234 create 2 2 6
            7982 flood 2 2 13
            10786 send 2 0
            """
        ),
        (
            "a page of a server in between, with status 404, was taken for the service's word on what is said in a channel",
            """
            era declared, seed 53
            41944 restart 40000 0
            45179 post 2 1 8
            57235 spoil 6 4
            89258 post 0 1 30
            """
        ),
        (
            "and, with status 200, for its word that a message was deleted",
            """
            era declared, seed 92
            42403 spoil 8 2
            45534 retract 1 0
            """
        ),
        (
            "the answer to an edit put a message that is older than the window alone before it",
            """
            era declared, seed 677
            35015 restart 8000 0
            38597 amend 3 0
            38652 flood 0 0 19
            """
        ),
        (
            "a late answer to a message that was sent undid an edit of it, since it did not say when it was edited",
            """
            era declared, seed 1842
            3948 rename 0 4 14
            3958 cut 1 0
            3988 send 1 0
            4004 amend 0 0
            4028 spoil 15 5
            4071 typing 0 9 16
            4187 post 2 1 33
            4187 post 0 9 17
            4210 post 0 2 36
            8549 post 2 3 17
            12151 cut 0 0
            13690 send 3 0
            20876 edit 0 4 2
            """
        ),
        (
            "a remembered row that the answer changed was taken for one that nothing had confirmed",
            """
            era declared, seed 646
            16202 cut 1 0
            17404 flood 3 1 14
            22847 erase 2 0 23
            36808 spoil 10 6
            37259 edit 3 1 38
            37320 crash 1 0
            """
        ),
        (
            "the answer to a message that had been deleted meanwhile brought it back",
            """
            era declared, seed 6118
            2025 create 0 2 22
            2037 spoil 15 8
            2214 send 1 0
            3920 delete 0 6 22
            """
        ),
        (
            "a server that said ready again and again was asked for everything each time",
            """
            era declared, seed 6813
            28074 stray 23 0
            63126 stray 22 0
            """
        ),
        (
            "a row from before a gap was edited, and stayed alone before the window",
            """
            era declared, seed 12905
            1154 restart 50000 0
            1163 flood 2 0 27
            2666 amend 2 0
            2817 spoil 4 1
            52543 edit 2 9 1
            """
        ),
        (
            "a message that an overtaken answer brought, and then an event, was still in doubt",
            """
            era declared, seed 16109
            189 flood 2 0 27
            239 post 0 0 32
            """
        ),
    ]
}
