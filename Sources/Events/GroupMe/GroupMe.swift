/// The GroupMe backend's vocabulary: what its push service and its REST service, version 3, send. Section numbers are those of the
/// protocol's sheet.
public enum GroupMe {}
