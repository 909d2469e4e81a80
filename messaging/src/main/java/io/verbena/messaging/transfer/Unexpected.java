package io.verbena.messaging.transfer;

import io.verbena.messaging.protocol.Matching;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A message that arrived before its receive: a copy of its payload, or the address at which it can be read. */
public final class Unexpected extends Matching.Entry {

    byte[] payload = {};

    /** The payload; one object for many messages. */
    MemorySegment memory = MemorySegment.NULL;

    public long length;
    public int kind; // of the element that announced it
    long address;
    int rkey;
    public int id;

    /** A send of this rank to itself, whose bytes are still in its buffer. */
    @Nullable
    public Operation own;
}
