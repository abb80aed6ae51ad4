import Testing
import WeirModel
import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirTerminal
import WeirWire

@testable import WeirLive
@testable import WeirViews

@Suite("The full-screen view: sharing with other clients")
struct WatchSharingTests {
    @Test("Hiding a room hides its events and their changes, and notifies the tail")
    func hidesChanges() {
        var screen = WatchedScreen()
        screen.tell(.reports([Sample.event(3, "hello", room: "alpha"), Sample.firstRows(cause: 3)]))
        screen.tell(.reports([Sample.event(4, "other", room: "beta")]))
        #expect(screen.text.contains("+ channel  #general"))
        screen.type("1")
        #expect(screen.effects == [.mute("alpha", true)])
        #expect(!screen.text.contains("+ channel  #general"))
        #expect(screen.text.contains("other"))
        screen.type("1")
        #expect(screen.effects.last == .mute("alpha", false))
        #expect(screen.text.contains("+ channel  #general"))
    }

    @Test("Rooms muted or unmuted by others are hidden or shown, and rooms hidden only in the view stay hidden")
    func othersMutes() {
        var screen = WatchedScreen()
        screen.tell(
            .reports([
                Sample.event(1, "from a", room: "alpha"), Sample.event(2, "from b", room: "beta"),
                Sample.event(3, "from c", room: "gamma"),
            ]))
        screen.type("3")
        screen.tell(.mutes(["alpha", "delta"]))
        #expect(!screen.text.contains("from a"))
        #expect(screen.text.contains("from b"))
        screen.tell(.reports([Sample.event(4, "from d", room: "delta")]))
        #expect(!screen.text.contains("from d"))
        screen.tell(.mutes(["beta"]))
        #expect(screen.text.contains("from a") && screen.text.contains("from d"))
        #expect(!screen.text.contains("from b") && !screen.text.contains("from c"))
    }

    @Test("A tail's muted rooms apply to its view")
    func mutedRooms() {
        let muted = MutedRooms()
        let desk = WatchDriver(Watch.Settings(title: "here"), muted: muted)
        desk.tell(.reports([Sample.event(1, "from a", room: "alpha"), Sample.event(2, "from b", room: "beta")]))
        muted.set(["beta"])
        #expect(desk.watched.rooms.isMuted("beta"))
        #expect(desk.watched.log.shares.shown == 1)
        muted.set([])
        #expect(desk.watched.log.shares.shown == 2)
    }

    @Test("The view is paused and resumed by keys and by others, who see how much waits")
    func pauses() throws {
        let controls = ViewControls(prints: false)
        let desk = WatchDriver(Watch.Settings(title: "here"), controls: controls)
        try desk.write([Sample.event(1, "first")])
        desk.tell(.terminal(.key(.character(" "))))
        #expect(controls.isPaused)
        controls.pause(false)
        try desk.write([Sample.event(2, "second")])
        #expect(!desk.watched.isHeld)
        controls.pause(true)
        try desk.write([Sample.event(3, "third")])
        #expect(desk.watched.isHeld)
        #expect(desk.watched.waiting == 1)
        desk.tell(.terminal(.key(.character(" "))))
        #expect(!controls.isPaused)
    }

    @Test("The state at the beginning of a stream is known, and neither shown nor counted")
    func begins() {
        var screen = WatchedScreen()
        screen.tell(.reports([Sample.room(.joined, "alpha"), Sample.event(3, "old"), Sample.firstRows(cause: 3)]))
        screen.tell(.begins(screen.watch.modelPane.model?.base ?? SectionedCollection<Item>()))
        #expect(screen.text.contains("nothing has arrived yet"))
        #expect(screen.text.contains("1 ● alpha"))
        #expect(screen.text.contains("#general"))
        #expect(screen.rows[0].hasSuffix("0 events"))
        screen.tell(.reports([Sample.event(4, "new")]))
        #expect(screen.rows[0].hasSuffix("1 events"))
        screen.tell(.ended("work has ended"))
        #expect(screen.rows[23].contains("■ work has ended"))
    }

    @Test("The context is named first, and a guarded one looks different")
    func badge() {
        var settings = Watch.Settings(title: "here")
        settings.badge = "[prod, guarded]"
        settings.isGuarded = true
        let guarded = Watch(settings).grid
        settings.isGuarded = false
        let plain = Watch(settings).grid
        #expect(guarded.text(ofRow: 0).contains("[prod, guarded]  here"))
        #expect(guarded[0, 0].appearance.foreground != plain[0, 0].appearance.foreground)
    }
}
