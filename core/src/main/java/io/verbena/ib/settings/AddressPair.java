package io.verbena.ib.settings;

/**
 * An address of this side and one of the peer, besides the first two. The peer has named its address, which proves
 * nothing.
 *
 * @param source the address of this side by its number, 0 for the first
 * @param high the first eight bytes of the address of the peer; 0, as {@code low}, for its first one
 * @param low the last eight bytes
 * @param nonce a value that only a host at this address, or on the way there, gets to know
 */
public record AddressPair(int source, long high, long low, long nonce) {

    /** Whether the address of the peer is its first one. */
    public boolean first() {
        return (high | low) == 0;
    }
}
