import Simulation
import Testing

/// Histories that once failed, shrunk as far as possible; each is named after its failure.
@Suite struct KnownHistoryTests {
    static let known: [(name: String, history: String)] = [
        (
            "a page of a server in between, with status 404, ended all refetching",
            """
            era b, Engine.IO 4, seed 25
            1669 spoil 6 8
            1780 delete 0 2 34
            """
        ),
        (
            "a channel that was left before its list came was kept by the room of its messages",
            """
            era a, Engine.IO 3, seed 338
            472 remove 1 4 8
            """
        ),
        (
            "such a room was asked about for ever",
            """
            era a, Engine.IO 4, seed 525
            511 cut 1 0
            892 leave 0 1 8
            """
        ),
        (
            "replies outlived their channel when their head was gone before",
            """
            era a, Engine.IO 4, seed 522
            608 delete 1 1 26
            3105 erase 0 0 15
            """
        ),
        (
            "replies of a deleted head were not looked at after a gap",
            """
            era a, Engine.IO 4, seed 17
            1174 delete 1 9 9
            2131 reply 2 5 17
            8879 sleep 60000 0
            9549 delete 2 0 13
            """
        ),
        (
            "a head that became a reply during a gap was taken away with the heads that are gone",
            """
            era b, Engine.IO 4, seed 761
            2387 cut 0 0
            2428 move 1 10 23
            """
        ),
        (
            "a room whose answer came late stayed refused",
            """
            era a, Engine.IO 3, seed 22
            580 stall 40000 0
            """
        ),
        (
            "a refetch that was forbidden often enough asked for no other token when its own became too old",
            """
            era a, Engine.IO 4, seed 11066
            435 spoil 1 6
            1283 spoil 12 5
            7520 expire 0 0
            """
        ),
        (
            "a head that the user deleted took the replies of its thread away",
            """
            era a, Engine.IO 3, seed 602
            2000 send 2 2
            2587 answer 2 3
            3566 retract 1 1
            3661 delete 0 1 5
            3677 answer 1 1
            3826 retract 2 3
            """
        ),
        (
            "the answer to a deed brought a message back to a channel that was left",
            """
            era b, Engine.IO 3, seed 205091
            44094 retract 0 3
            44274 remove 3 11 36
            44283 cheer 2 2
            """
        ),
        (
            "a page that came instead of an answer was taken for a yes",
            """
            era b, Engine.IO 4, seed 211542
            161218 spoil 8 6
            165655 retract 2 2
            """
        ),
        (
            "a deed waited for a fetch that was cancelled with its channel",
            """
            era b, Engine.IO 3, seed 210417
            4904 spoil 10 6
            4933 reply 1 2 39
            5037 spoil 10 6
            5043 amend 2 3
            5047 post 3 0 32
            5050 send 1 2
            5100 level 3 3 29
            5107 cut 0 0
            5146 answer 3 1
            5156 remove 3 2 16
            """
        ),
        (
            "a reply that failed with the message it answers made its thread be asked about for ever",
            """
            era b, Engine.IO 4, seed 2819
            14644 spoil 6 7
            46979 send 0 3
            79662 answer 1 0
            """
        ),
        (
            "a reply to a message that moved meanwhile did the same",
            """
            era b, Engine.IO 4, seed 6487
            220 reply 3 1 34
            2608 reply 0 0 10
            2613 answer 3 2
            2630 move 2 2 23
            """
        ),
        (
            "a timer was left of such a thread",
            """
            era b, Engine.IO 3, seed 11245
            16277 retract 0 2
            21004 spoil 3 7
            22175 send 1 3
            33677 answer 1 0
            """
        ),
        (
            "what would have shown a deed was asked about for ever, though its channel was gone",
            """
            era b, Engine.IO 4, seed 206244
            493 reply 3 4 21
            944 create 0 2 33
            1245 post 0 0 29
            1457 erase 0 0 29
            1536 send 3 2
            1728 erase 0 0 4
            2165 send 2 2
            2185 spoil 0 1
            2279 answer 1 2
            2427 spoil 5 7
            3102 move 3 7 38
            """
        ),
        (
            "the answer to reading a channel, which came late, took for read what was written meanwhile",
            """
            era b, Engine.IO 3, seed 1286
            8329 spoil 15 5
            14189 see 3 1
            14809 reply 3 5 17
            """
        ),
        (
            "the same happened when activity overtook the answer",
            """
            era b, Engine.IO 4, seed 15328
            14397 amend 3 1
            16622 send 2 0
            35396 send 0 1
            56264 answer 0 3
            56274 post 3 0 18
            56314 send 0 3
            56348 post 2 1 28
            56357 see 2 0
            56414 reply 1 5 7
            """
        ),
        (
            "an answer that showed a reply in another thread left the counter of its old one as it was",
            """
            era b, Engine.IO 3, seed 7560
            34157 post 2 3 27
            83687 remove 1 8 21
            119344 read 1 1 25
            124230 post 0 0 25
            158517 delete 0 1 27
            161970 edit 0 3 39
            167650 read 0 2 20
            182915 remove 0 2 38
            182952 delete 2 2 14
            182959 post 3 2 22
            182961 edit 1 0 21
            182992 reply 0 0 1
            182994 react 1 1 29
            183023 rename 2 0 12
            183026 read 1 3 36
            183036 move 3 8 36
            183037 rename 2 3 34
            183097 post 3 9 38
            """
        ),
        (
            "and so did an answer that came just before the event of the move",
            """
            era b, Engine.IO 4, seed 8917
            252 post 2 5 7
            364 add 1 2 7
            476 rename 3 1 23
            663 reply 3 10 10
            712 reply 3 1 22
            1080 send 1 3
            1894 post 3 1 3
            2009 reply 3 1 37
            2038 edit 0 4 34
            2293 read 3 0 9
            2523 rename 3 6 32
            2609 post 0 1 22
            2790 direct 0 9 31
            2934 post 3 2 36
            2950 leave 3 10 6
            3274 typing 1 2 35
            3480 reply 1 8 7
            3531 delete 3 2 33
            3574 move 3 10 15
            """
        ),
        (
            "a message that the proxy moved without a word left two counters as they were",
            """
            era a, Engine.IO 3, seed 25534
            6902 answer 2 0
            8786 post 2 0 7
            12537 restart 2000 0
            13691 spoil 7 4
            13713 move 3 0 11
            13817 cheer 0 0
            13821 answer 3 3
            """
        ),
        (
            "a page with status 404, of a server in between, was taken for the word that a message was deleted",
            """
            era b, Engine.IO 4, seed 17901
            7957 spoil 5 2
            12046 reply 2 1 18
            12047 spoil 11 4
            12087 reply 3 5 34
            12124 retract 1 2
            12181 spoil 6 2
            12202 create 0 2 28
            """
        ),
        (
            "the late answer to a message brought it back, though it was deleted meanwhile",
            """
            era a, Engine.IO 4, seed 18941
            2357 answer 1 0
            3454 edit 1 5 24
            8470 spoil 15 4
            8542 send 1 1
            8587 delete 0 5 39
            """
        ),
        (
            "refused tokens counted as attempts, and after the last attempt nobody looked whether it had been done",
            """
            era a, Engine.IO 4, seed 21846
            1352 send 2 1
            1458 erase 3 10 31
            4758 spoil 6 7
            7249 spoil 1 8
            9208 kick 0 0
            11577 spoil 10 8
            12644 send 1 3
            """
        ),
        (
            "a channel that the user was taken out of kept its members, since the same event asked for them",
            """
            era b, Engine.IO 3, seed 70
            7208 remove 3 1 20
            """
        ),
        (
            "what an earlier process left in doubt was looked for before it was known whose it is, and done once more",
            """
            era b, Engine.IO 3, seed 936
            796 send 0 2
            800 crash 1 0
            """
        ),
        (
            "and was looked for, for ever, where no server of that era is",
            """
            era a, Engine.IO 4, seed 415
            16812 send 2 2
            16836 crash 0 0
            """
        ),
        (
            "the user's own room was asked for with a token that had become too old, and stayed refused",
            """
            era b, Engine.IO 3, seed 7750
            146 expire 0 0
            """
        ),
        (
            "a head beyond the newest page came by an edit, and was shown without its replies",
            """
            era b, Engine.IO 4, seed 73168
            227 post 1 9 38
            364 flood 2 9 15
            2418 edit 1 8 1
            """
        ),
        (
            "a head that was moved out of the newest page left a place in it",
            """
            era b, Engine.IO 3, seed 47382
            2136 direct 3 4 24
            3106 flood 3 1 21
            4733 move 3 2 15
            """
        ),
        (
            "a reply was counted after it was deleted, because an answer showed that before the event did",
            """
            era c, Engine.IO 4, seed 7000057
            443 react 3 1 33
            522 come 2 9 27
            581 come 1 9 25
            599 direct 2 7 13
            825 edit 0 2 30
            1423 answer 1 0
            1524 rename 2 0 20
            1637 post 2 0 15
            1653 reply 0 0 17
            1674 post 2 2 27
            1759 delete 0 11 36
            """
        ),
        (
            "each answer about a reply made all other replies in flight be fetched again",
            """
            era a, Engine.IO 3, seed 157807537971016, history 67
            258 spoil 13 2
            928 spoil 9 2
            3174 hold 5 8000
            4163 flood 0 9 36
            """
        ),
        (
            "a late page of a thread brought its deleted head back",
            """
            era a, Engine.IO 3, seed 82000436
            67 reply 1 1 21
            407 post 1 8 26
            458 leave 0 6 0
            485 rename 2 1 30
            718 read 3 1 9
            737 read 1 5 9
            951 reply 1 4 0
            1167 read 2 2 22
            1339 edit 1 7 29
            1462 reply 1 0 22
            1486 leave 1 8 35
            1600 edit 1 1 8
            1731 create 0 1 26
            1786 rename 2 0 32
            1900 unread 0 3 35
            1905 remove 3 0 24
            1982 pin 2 2 28
            1983 come 0 1 27
            1995 direct 2 11 36
            2148 post 2 7 15
            2268 reply 1 0 6
            2284 post 3 6 13
            2487 retract 3 2
            """
        ),
        (
            "a thread that was let go of was asked about, and came back with the next look",
            """
            era a, Engine.IO 3, seed 82001308, watching people
            2405 move 2 7 27
            7887 kick 0 0
            8187 flood 3 10 19
            11607 create 1 5 19
            12010 crash 1 0
            """
        ),
        (
            "a page was taken for the end of catching up, whose threads all had the same time",
            """
            era a, Engine.IO 3, seed 930000037, watching people
            3377 reply 1 3 9
            4773 stall 50000 0
            8339 retract 3 1
            9766 burst 0 39 30
            13191 edit 1 5 37
            """
        ),
        (
            "a page that came after its walk had ended brought threads back that were let go of",
            """
            era a, Engine.IO 3, seed 930003604, catch-up 42
            146 leave 1 2 0
            215 create 3 0 25
            339 direct 1 2 39
            626 direct 0 5 10
            1586 leave 1 0 16
            3898 post 3 2 25
            3952 post 2 8 24
            9363 pause 11 30
            16010 burst 0 7 10
            31998 burst 0 10 38
            51141 post 3 4 18
            51770 move 0 1 22
            """
        ),
        (
            "a reply that was edited stood alone: its thread was older than what is kept, and came and went with each look",
            """
            era c, Engine.IO 4, seed 602176657323, watching people, history 52, catch-up 77
            0 flood 3 0 24
            1222 erase 2 10 6
            5348 reply 1 1 38
            12745 reply 1 1 14
            13328 restart 50000 0
            30851 burst 0 38 35
            46044 amend 3 1
            """
        ),
        (
            "JSON of something else was taken for a list of rooms without any",
            """
            era a, Engine.IO 3, seed 713055102906, watching usual, history 43
            195097 spoil 10 4
            195160 look 1 0
            """
        ),
        (
            "a page that was asked for before a removal brought the message back after its walk had ended",
            """
            era a, Engine.IO 3, seed 443128787468649, history 27
            5285 flood 3 0 19
            7803 cut 0 0
            8335 edit 3 1 18
            8480 spoil 15 3
            9415 delete 1 5 13
            """
        ),
        (
            "a channel was erased between two pages of the list, and the next page passed over another",
            """
            era b, Engine.IO 4, seed 349174542222368, watching people
            625 read 2 0 14
            766 create 0 0 9
            791 flood 1 8 13
            954 post 0 7 28
            1011 level 2 0 27
            1022 erase 0 0 36
            """
        ),
        (
            "a head came back with an own reply, without the replies that were deleted while it was let go of",
            """
            era b, Engine.IO 3, seed 301685447198400, watching channels
            171 reply 1 4 8
            1029 restart 50000 0
            1172 answer 2 1
            1201 reply 3 4 29
            1270 reply 2 2 23
            1283 crash 2 0
            2316 crash 2 0
            42665 burst 0 27 24
            """
        ),
        (
            "a head was moved into another thread, and a reply that it left behind was deleted, while the client was away",
            """
            era a, Engine.IO 4, seed 301685447246792, watching usual
            1922 sleep 5000 0
            1935 post 0 2 4
            1938 move 2 2 33
            1970 move 3 2 22
            2027 post 0 9 21
            2045 leave 0 2 16
            2176 delete 0 3 23
            4761 cut 0 0
            """
        ),
        (
            "replies to an own message came into a workspace that is not looked at: a killed tail had kept its channel",
            """
            era c, Engine.IO 4, seed 301685447311802, watching usual, history 42
            5725 reply 0 0 35
            5919 spoil 15 8
            5970 look 1 3
            6958 crash 1 0
            7800 cheer 1 2
            9365 flood 1 1 0
            9480 answer 1 1
            """
        ),
        (
            "a new head was announced late, after the page that left it out, without the reply that it had by then",
            """
            era c, Engine.IO 4, seed 759034824183029, watching people
            438 hold 3 8000
            815 post 3 1 1
            1274 restart 2000 0
            1587 pause 7 1
            2063 reply 0 0 21
            2264 flood 3 0 35
            3184 post 3 0 35
            """
        ),
        (
            "the answer to an edit brought a reply back that had been let go of with its thread",
            """
            era c, Engine.IO 4, seed 759034824214928
            646 spoil 13 5
            7201 spoil 7 6
            7271 amend 0 3
            7681 crash 0 0
            16306 lose 1 0
            19175 crash 2 0
            20681 spoil 11 7
            48399 flood 3 0 21
            """
        ),
        (
            "a head was deleted between two pages, and its thread let go of though the second listed a reply",
            """
            era a, Engine.IO 4, seed 374322772985077, watching people
            275 cut 0 0
            493 react 2 9 16
            993 double 2 0
            1037 post 2 1 39
            1055 reply 3 9 26
            1057 react 3 4 17
            1061 send 3 1
            1072 read 2 10 23
            1081 spoil 1 7
            1125 expire 0 0
            1158 direct 3 8 2
            1183 stray 1 0
            1218 flood 2 7 2
            1232 create 3 1 32
            1242 reply 3 6 13
            1257 delete 1 1 38
            """
        ),
        // Each of three full resyncs sends as many requests as a new connection, and was not counted.
        (
            "it looks at everything again from time to time, and asks one by one for what is beyond the bound of catch-up",
            """
            era a, Engine.IO 4, seed 155291826017719, watching usual, catch-up 37
            6542 spoil 11 8
            10007 send 3 1
            11542 sleep 50000 0
            28214 burst 0 0 38
            """
        ),
    ]

    static let all = known + ofPeopleAndPlaces + ofGroupMe + ofDeclared

    @Test(arguments: all.map(\.name))
    func `a known history ends with the server's state`(name: String) throws {
        let text = try #require(Self.all.first { $0.name == name }).history
        #expect(Campaign.findings(try #require(History(text))) == [])
    }
}
