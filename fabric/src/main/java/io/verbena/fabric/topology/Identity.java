package io.verbena.fabric.topology;

/**
 * What a node says about itself. Its node GUID identifies it; descriptions of several nodes may be equal.
 *
 * @param guid its node GUID, unique
 * @param systemGuid the GUID that all nodes of one enclosure share
 * @param vendor vendor, 24 bits
 * @param device device, 16 bits
 * @param description its NodeDescription, which may be empty
 */
public record Identity(long guid, long systemGuid, int vendor, int device, String description) {}
