import Glibc
import Testing
import WeirEvents

@testable import WeirPipeline

/// The guide to GroupMe's events is derived from the decoding tables and the handlers.
struct GroupMeGuideTests {
    /// Every known `type` of a push (GroupMe GM-8).
    private static let pushes = [
        "line.create", "direct_message.create", "like.create", "favorite", "like.delete", "reaction",
        "membership.create", "membership.destroy", "group.update", "message.deleted", "line.delete", "message.update",
        "line.update", "read_receipt.create", "typing", "ping", "subscribe",
    ]

    /// Every known `type` of an event in the server's own messages (GroupMe GM-25).
    private static let systemEvents = """
        membership.announce.added membership.announce.joined membership.announce.rejoined membership.notifications.exited
        membership.notifications.removed membership.notifications.autokicked membership.nickname_changed
        membership.avatar_changed membership.announce.coco.added membership.notifications.admin.new_pending_user
        membership.name_change membership.announce.removed membership.notifications.added
        group.name_change group.topic_change group.avatar_change group.type_change group.role_change_admin
        group.owner_changed group.theme_change group.like_icon_set group.like_icon_removed group.shared group.unshared
        group.requires_approval_enabled group.requires_approval_disabled group.visibility_set.searchable
        group.visibility_set.hidden group.visibility_set.community group.office_mode_enabled group.office_mode_disabled
        group.added_to_directory group.topic_removed group.chat_theme_settings_change group.chat_theme_settings_removed
        group.subgroup_created group.subgroup_removed group.subgroup_name_change group.subgroup_description_change
        group.subgroup_avatar_change group.subgroup_type_change group.subgroup_like_icon_change
        group.subgroup_description_removed group.subgroup_attribute_change
        message.deleted message.update message.pinned message.unpinned group.call.started group.call.ended
        poll.created poll.reminder poll.finished calendar.event.created calendar.event.updated calendar.event.cancelled
        calendar.event.starting calendar.event.user.going calendar.event.user.not_going calendar.event.user.undecided
        bot.add bot.del bot.rename copilot.group.privacy_notice
        """.split { " \n".contains($0) }.map(String.init)

    private func guide(of name: String) -> EventGuide? {
        GroupMeGuide.all.first { guide in
            guide.wireNames.flatMap { $0.split(separator: ", ") }.contains { $0 == name }
        }
    }

    @Test(arguments: pushes) func `every type of push has a guide entry`(type: String) throws {
        let guide = try #require(self.guide(of: type))
        #expect(guide.kind != "unknown")
        #expect(!guide.fields.isEmpty)
    }

    @Test(arguments: systemEvents) func `every event in the server's messages has a guide entry and is decoded`(
        type: String
    ) throws {
        let guide = try #require(self.guide(of: "line.create " + type))
        #expect(guide.handlers.first == "messages")
        #expect(type == "copilot.group.privacy_notice" || guide.kind != "system", "it is not read")
        #expect(!guide.fields.isEmpty)
    }

    @Test func `every event kind is explained, and each name once`() {
        let kinds = EventGuide.byKind(GroupMeGuide.all).map(\.kind)
        for kind in [
            "join", "join_error", "leave", "message", "reaction", "membership", "group", "deletion", "edit", "receipt",
            "typing", "ping", "subscribe", "unknown", "topic", "pin", "call", "poll", "calendar", "bot", "system",
        ] {
            #expect(kinds.contains(kind), "\(kind)")
        }
        #expect(kinds.count == 21 && Set(kinds).count == 21)
        let names = GroupMeGuide.all.flatMap(\.wireNames)
        #expect(
            names.count == Self.pushes.count - 2 + Self.systemEvents.count + 3 + 1 + 1,
            "what does not decode is missing")
    }

    @Test func `the guide describes what the handlers do`() throws {
        func told(_ name: String) throws -> [String] {
            let cases = try #require(guide(of: name)?.treatments.first?.cases)
            return cases.map { "\($0.applies ? "applied" : "-") \($0.refetch)" }
        }
        let newest = "the newest messages"
        let group = "the group and its members"
        #expect(try told("line.create") == ["- \(group)", "applied ", "applied \(newest)", "- \(newest)"])
        #expect(
            try told("direct_message.create").first == "- the list of directs")
        #expect(try told("favorite") == ["- ", "- ", "- \(newest)", "applied \(newest)"])
        #expect(
            try told("line.create membership.nickname_changed").suffix(2) == [
                "applied \(newest) and \(group)", "- \(newest) and \(group)",
            ])
        #expect(try told("membership.create").allSatisfy { $0 == "applied \(group)" })
        #expect(try told("typing").allSatisfy { $0 == "applied " })
        #expect(guide(of: "ping")?.treatments.isEmpty == true)
        #expect(guide(of: "ping")?.handlers == [])
    }
}
