package io.verbena.fabric.topology;

/**
 * The numbers that identify a node.
 *
 * @param guid its node GUID, unique
 * @param systemGuid the GUID that all nodes of one enclosure share
 * @param vendor vendor, 24 bits
 * @param device device, 16 bits
 */
public record Identity(long guid, long systemGuid, int vendor, int device) {}
