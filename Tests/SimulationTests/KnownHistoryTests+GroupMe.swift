extension KnownHistoryTests {
    static let ofGroupMe: [(name: String, history: String)] = [
        (
            "a message was said to have failed, because what was to show whether it was sent was refused",
            """
            era groupme, seed 1201, watching everything
            6915 lose 2 0
            11606 spoil 10 8
            16142 send 0 2
            18465 flood 0 4 23
            19242 spoil 0 3
            56665 send 0 1
            """
        ),
        (
            "rows of an earlier process that nothing had changed were taken for gone",
            """
            era groupme, seed 122, watching everything
            12981 crash 0 0
            """
        ),
        (
            "and so were those of a list of which a later page was waited for",
            """
            era groupme, seed 10321, watching everything
            1029 spoil 15 4
            3193 crash 2 0
            12802 restart 40000 0
            """
        ),
        (
            "how far the user had read elsewhere was shown, and nothing could have kept it true",
            """
            era groupme, seed 7
            10902 read 0 2 28
            """
        ),
        (
            "a message of the user's own was not counted in its group when the answer came before the push",
            """
            era groupme, seed 106, watching everything
            183297 send 1 1
            """
        ),
        (
            "nor in its direct",
            """
            era groupme, seed 16, watching usual
            195141 answer 1 2
            """
        ),
        (
            "a reaction to the last message of a direct was not seen in the list of directs",
            """
            era groupme, seed 194
            43004 react 1 8 25
            """
        ),
        (
            "a page of a server in between, with status 404, ended the reading of a list",
            """
            era groupme, seed 16, watching usual
            144671 spoil 6 1
            165504 create 3 9 3
            """
        ),
        (
            "and was taken for the service's word on what is said in a group",
            """
            era groupme, seed 668
            12530 spoil 6 6
            14883 pin 3 2 10
            """
        ),
        (
            "and, with status 200, for its word that a message was sent",
            """
            era groupme, seed 124
            9100 spoil 8 6
            12301 send 3 2
            """
        ),
        (
            "a room that the server did not answer about stayed refused at the next full look",
            """
            era groupme, seed 576, history 145
            89694 mute 3 0
            141679 add 2 1 24
            195666 flood 1 0 10
            """
        ),
        (
            "what was said while the server had forgotten the session behind an open socket was missed for ever",
            """
            era groupme, seed 632, watching usual
            114817 direct 0 2 38
            114912 edit 1 1 0
            114914 leave 3 0 6
            114943 kick 1 0
            """
        ),
        (
            "a change that changed nothing moved the time of the server's group, and told nobody",
            """
            era groupme, seed 709
            6 rename 0 3 33
            2275 rename 1 1 33
            """
        ),
        (
            "messages that are remembered were taken for gone while an older page was waited for",
            """
            era groupme, seed 990003410, watching channels, history 101
            1913 post 2 0 29
            3288 come 0 4 0
            3762 send 1 3
            4353 edit 0 2 0
            5157 rename 1 1 38
            5737 edit 0 1 15
            7795 react 0 1 16
            10048 crash 2 0
            11360 answer 0 0
            11447 spoil 12 8
            """
        ),
        (
            "a direct's last message was shown as it was before the page that changed it",
            """
            era groupme, seed 940001542, watching people
            2361 react 0 2 17
            2595 crash 1 0
            """
        ),
        (
            "a group that was asked for before a gap was answered after it, with its members of before",
            """
            era groupme, seed 517382921504
            31923 spoil 15 8
            40878 rename 3 2 22
            42388 kick 1 0
            42390 cut 0 0
            42483 add 0 11 34
            """
        ),
        (
            "messages that were asked for before a gap were answered after it, as they were before",
            """
            era groupme, seed 2358, watching everything
            2550 spoil 15 4
            3716 direct 0 9 38
            3772 rename 0 2 19
            3786 edit 0 4 34
            3847 refuse 2 0
            3901 create 3 3 13
            3923 delete 3 0 12
            3929 kick 0 0
            3941 direct 0 0 23
            6256 rename 3 6 38
            8453 kick 1 0
            10086 edit 0 1 36
            """
        ),
        (
            "messages that the store had lost stayed missing, since the last part of it was taken for all that was known",
            """
            era groupme, seed 517382931842, history 180
            0 flood 3 2 6
            4798 add 3 0 38
            6192 flood 0 0 5
            14790 spoil 10 6
            29272 crash 2 0
            51099 sleep 50000 0
            62316 burst 0 26 32
            70885 burst 0 13 36
            """
        ),
        (
            "a message was sent and said to have failed, since its group was asked for first after a restart, and refused",
            """
            era groupme, seed 602176559437
            52216 send 2 3
            52217 crash 2 0
            52378 spoil 0 6
            """
        ),
        (
            "so it was after two restarts",
            """
            era groupme, seed 602176597693
            3610 send 1 2
            3618 crash 1 0
            3709 come 0 2 14
            3802 spoil 0 5
            3802 crash 2 0
            """
        ),
        (
            "a message that may have been sent was sent again, since the pages that would have shown it were not followed so far",
            """
            era groupme, seed 713055914131, watching usual, catch-up 147
            0 flood 1 0 39
            692 kick 1 0
            1029 direct 0 11 37
            1038 spoil 12 4
            2377 spoil 11 8
            3894 send 1 2
            12460 burst 0 29 31
            33762 pause 10 0
            34229 burst 0 22 12
            """
        ),
        (
            "a page that was asked for before its room was joined came last, and took what was said meanwhile for gone",
            """
            era groupme, seed 880015994, watching people
            3106 pause 9 1
            6760 restart 40000 0
            7332 sleep 5000 0
            9435 spoil 15 7
            21189 crash 2 0
            39070 send 1 0
            47337 reply 3 0 12
            56870 post 3 2 37
            """
        ),
    ]
}
