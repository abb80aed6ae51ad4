import Foundation
import Testing
import TestSupport

/// Checks the page "Origins", which maps the requirements of five documents to tests.
@Suite struct OriginsTests {
    private struct Row {
        let section: String
        let line: Int
        let cells: [String]

        /// Returns the texts between backquotes in a cell.
        func quoted(_ cell: Int) -> [String] {
            cells[cell].components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        }
    }

    private static let notHere = "Not here"

    @Test func `each row of the origins names existing tests`() throws {
        let tests = try Self.testNames()
        #expect(tests.count > 2000)
        let rows = try Self.rows()
        #expect(rows.count > 150)
        for row in rows {
            #expect(
                row.cells.count == 3 && !row.cells.contains(""), "line \(row.line) has not three cells: \(row.cells)")
            guard row.section != Self.notHere, row.cells.count == 3 else { continue }
            let names = row.quoted(2)
            #expect(!names.isEmpty, "line \(row.line), \(row.cells[0]): no test is named")
            for name in names {
                let isThere = tests.contains(name)
                #expect(isThere, "line \(row.line), \(row.cells[0]): there is no test '\(name)'")
            }
        }
    }

    @Test(arguments: [
        // The models and enumerations of Twake Mobile.
        "Authentication", "Account", "Company", "Workspace", "Channel", "Message", "Globals", "File", "Badge",
        "FirebaseNotification", "LocalNotification", "SocketIOEvent", "SocketIOResource", "SocketIORoom",
        "ChannelVisibility", "MessageSummary", "MessageContent", "Reaction", "ChannelsType", "BadgeType",
        "NotificationHeaders", "NotificationPayload", "LocalNotificationType", "MessageData", "IOEventAction",
        "ResourceAction", "ResourceType",
        // The cubits of Twake Mobile and their states.
        "Authentication Cubit", "AuthenticationInitial", "AuthenticationInProgress", "AuthenticationFailure",
        "PostAuthenticationSyncInProgress", "PostAuthenticationSyncFailed", "AuthenticationSuccess", "Account Cubit",
        "AccountInitial", "AccountLoadInProgress", "AccountLoadSuccess", "Companies Cubit", "CompaniesInitial",
        "CompaniesLoadInProgress", "CompaniesLoadSuccess", "Workspaces Cubit", "WorkspacesInitial",
        "WorkspacesLoadInProgress", "WorkspacesLoadSuccess", "Channels Cubit", "ChannelsInitial",
        "ChannelsLoadInProgress", "ChannelsLoadSuccess", "Directs Cubit", "Messages Cubit", "MessagesInitial",
        "MessagesLoadInProgress", "MessagesBeforeLoadInProgress", "MessagesLoadSuccess", "Badges Cubit",
        "Mentions Cubit", "File Cubit",
        // The classes and models of the other documents.
        "Controller", "ServerInterface", "CoreData Model", "MAEntity", "ModelAssistantDelegate", "SwishServer",
        "UserServer", "PhotoServer", "StickerServer", "User", "Tweet", "Guess", "Tweeter",
    ])
    func `each model, cubit and state of the documents is in a row`(name: String) throws {
        let isThere = try Self.rows().contains { $0.quoted($0.section == Self.notHere ? 1 : 0).contains(name) }
        #expect(isThere, "no row is about \(name)")
    }

    /// The rows of the page's tables, without their headings.
    private static func rows() throws -> [Row] {
        let page = String(
            decoding: try readFile(packageFolder + "/Sources/WeirLive/WeirLive.docc/Origins.md"), as: UTF8.self)
        var rows: [Row] = []
        var section = ""
        var isInTable = false
        for (index, line) in page.components(separatedBy: "\n").enumerated() {
            if line.hasPrefix("## ") { section = String(line.dropFirst(3)) }
            if line.hasPrefix("|---") {
                isInTable = true
            } else if !line.hasPrefix("|") {
                isInTable = false
            } else if isInTable {
                let inside = line.trimmingCharacters(in: CharacterSet(charactersIn: "| "))
                rows.append(
                    Row(section: section, line: index + 1, cells: inside.components(separatedBy: " | ")))
            }
        }
        return rows
    }

    /// Returns the names of the test functions and their display names.
    private static func testNames() throws -> Set<String> {
        let folder = packageFolder + "/Tests"
        var names: Set<String> = []
        for file in try FileManager.default.subpathsOfDirectory(atPath: folder) where file.hasSuffix(".swift") {
            let text = String(decoding: try readFile(folder + "/" + file), as: UTF8.self)
            for test in text.components(separatedBy: "@Test").dropFirst() {
                if let display = test.prefixMatch(of: /\s*\(\s*"([^"]*)"/) { names.insert(String(display.1)) }
                if let function = test.firstMatch(of: /\bfunc\s+(?:`([^`]+)`|(\w+))/) {
                    names.insert(String(function.1 ?? function.2 ?? ""))
                }
            }
        }
        return names
    }
}
