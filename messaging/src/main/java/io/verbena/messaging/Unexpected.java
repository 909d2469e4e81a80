package io.verbena.messaging;

import io.verbena.messaging.protocol.Matching;

/** A message that came before its receive: a copy of its payload, or where it can be read. */
final class Unexpected extends Matching.Entry {

    byte[] payload = {};
    long length;
    int kind; // of the element that brought it
    long address;
    int rkey;
    int id;

    /** Bytes that count against the bound. */
    long heldBytes() {
        return 64 + (kind == Transport.EAGER ? length : 0);
    }
}
