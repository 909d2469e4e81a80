package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Rnic;
import io.verbena.verbs.WrFlags;
import java.lang.foreign.ValueLayout;

/**
 * One side of a connection on which a few large messages go to and fro until it fails. With direct access, each message names the
 * memory of its sender, and the receiver writes and reads that memory before it answers.
 */
final class Echo {

    private static final int MESSAGE = 64 * 1024;
    private static final int CIRCULATING = 4;
    private static final int READS = Site.MEMORY / 4;
    private static final int SENDS = Site.MEMORY / 2;
    private static final int WRITTEN = 3 * Site.MEMORY / 4;

    final Site site;

    /** Messages that have arrived. */
    int messages;

    private final boolean direct;
    private int outstanding;
    private boolean failed;

    Echo(Rnic rnic, boolean direct) {
        site = new Site(rnic);
        this.direct = direct;
        for (int i = 0; i < CIRCULATING; i++) {
            receive(i);
        }
    }

    private void receive(int slot) {
        assertTrue(site.queuePair.postReceive(slot, site.memory, at(slot), MESSAGE));
        outstanding++;
    }

    private void send(int slot) {
        site.memory.segment().set(ValueLayout.JAVA_LONG, SENDS + at(slot), site.memory.address());
        site.memory.segment().set(ValueLayout.JAVA_INT, SENDS + at(slot) + Long.BYTES, site.memory.rkey());
        assertTrue(
                site.queuePair.postSend(CIRCULATING + slot, site.memory, SENDS + at(slot), MESSAGE, WrFlags.SIGNALLED));
        outstanding++;
    }

    /** Where the message of a slot is, in each of the areas. */
    private static long at(int slot) {
        return (long) slot * MESSAGE;
    }

    /** Writes to and reads from the memory of the peer that a message names. */
    private void access(int slot) {
        long address = site.memory.segment().get(ValueLayout.JAVA_LONG, at(slot));
        int key = site.memory.segment().get(ValueLayout.JAVA_INT, at(slot) + Long.BYTES);
        assertTrue(site.queuePair.postWrite(
                2 * CIRCULATING + slot,
                site.memory,
                SENDS + at(slot),
                MESSAGE,
                address + WRITTEN + at(slot),
                key,
                WrFlags.SIGNALLED));
        assertTrue(site.queuePair.postRead(
                3 * CIRCULATING + slot,
                site.memory,
                READS + at(slot),
                MESSAGE,
                address + WRITTEN + at(slot),
                key,
                WrFlags.SIGNALLED));
        outstanding += 2;
    }

    /** Sends the first messages. */
    void begin() {
        for (int i = 0; i < CIRCULATING; i++) {
            send(i);
        }
    }

    /** Processes one completion. Returns whether the connection still works. */
    boolean echoes() {
        assertTrue(
                site.cursor.next() || site.cq.await(Site.PATIENCE) && site.cursor.next(),
                () -> outstanding + " pieces of work are not complete on " + site.queuePair);
        outstanding--;
        failed |= !site.cursor.ok();
        int slot = (int) site.cursor.wrId();
        if (!failed && slot < CIRCULATING) {
            messages++;
            if (direct) {
                access(slot);
            }
            receive(slot);
            send(slot);
        }
        return !failed;
    }

    /** Waits until all work is complete, the last of it in error. */
    void awaitFailure() {
        while (outstanding > 0) {
            echoes();
        }
        assertTrue(failed);
    }
}
