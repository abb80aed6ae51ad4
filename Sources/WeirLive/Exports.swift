// The modules whose types the signatures of this module use, so that `import WeirLive` suffices. Of `WeirNetwork` only
// single types are visible, so that usual names such as `HTTPClient` and `EventLoop` stay free.

@_exported public import WeirEvents
@_exported public import WeirJSON
@_exported public import WeirModel
@_exported public import enum WeirNetwork.NetworkError
@_exported public import struct WeirNetwork.URLParts
@_exported public import struct WeirNetwork.URLProblem
@_exported public import enum WeirNetwork.WebSocketFraming
@_exported public import WeirPipeline
@_exported public import WeirRecording
@_exported public import enum WeirStore.StoreError
@_exported public import WeirWire
@_exported public import WeirViews
