// The public names of the views are part of this module.
@_exported public import WeirViews
