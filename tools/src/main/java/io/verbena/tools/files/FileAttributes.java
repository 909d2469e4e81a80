package io.verbena.tools.files;

/**
 * A file as it is at one moment. Two equal values of one name mean the same contents, as far as a file system can tell.
 *
 * @param size bytes
 * @param modifiedNs when it was written last, in nanoseconds since 1970
 * @param identity differs when another file has taken its place
 * @param writable whether the file is offered for writing
 */
record FileAttributes(long size, long modifiedNs, long identity, boolean writable) {}
