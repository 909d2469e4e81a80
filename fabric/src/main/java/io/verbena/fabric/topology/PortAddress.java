package io.verbena.fabric.topology;

/**
 * The names of an endport: the port of an adapter or router, or port 0 of a switch.
 *
 * @param guid its port GUID, the lower half of its IPv6 address (GID)
 * @param lid its first LID; 0 while a subnet manager has assigned none
 * @param lmc LID mask control: the port answers to 2^lmc LIDs from {@code lid} on, one per path
 */
public record PortAddress(long guid, int lid, int lmc) {

    /** The number of LIDs. */
    public int lids() {
        return 1 << lmc;
    }
}
