// The types of other modules that signatures of this module use. Nothing else of them is visible through
// `import WeirSocketIO`, so that usual names such as `HTTPClient` and `EventLoop` stay free.

@_exported public import struct WeirJSON.JSONError
@_exported public import enum WeirJSON.JSONKind
@_exported public import enum WeirJSON.JSONValue
@_exported public import struct WeirJSON.RawJSON
