/// The vocabulary of the GroupMe backend: what its push service and its REST service, version 3, send. Section numbers
/// refer to the protocol's sheet.
public enum GroupMe {}
