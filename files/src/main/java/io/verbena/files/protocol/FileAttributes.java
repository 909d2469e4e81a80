package io.verbena.files.protocol;

/**
 * The attributes of a file at one moment. Equal attributes under one name mean equal contents, as far as a file system can
 * tell.
 *
 * @param size bytes
 * @param modifiedNs time of the last modification, in nanoseconds since 1970
 * @param identity differs if another file has taken its place
 * @param writable whether the file is offered for writing
 */
public record FileAttributes(long size, long modifiedNs, long identity, boolean writable) {}
