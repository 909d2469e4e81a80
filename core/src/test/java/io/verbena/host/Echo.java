package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Rnic;
import io.verbena.verbs.WrFlags;

/** One side of a connection on which a few large messages go to and fro until it fails. */
final class Echo {

    private static final int MESSAGE = 64 * 1024;
    private static final int CIRCULATING = 4;
    private static final int SENDS = Site.MEMORY / 2;

    final Site site;

    /** Messages that have arrived. */
    int messages;

    private int outstanding;
    private boolean failed;

    Echo(Rnic rnic) {
        site = new Site(rnic);
        for (int i = 0; i < CIRCULATING; i++) {
            receive(i);
        }
    }

    private void receive(int slot) {
        assertTrue(site.queuePair.postReceive(slot, site.memory, slot * MESSAGE, MESSAGE));
        outstanding++;
    }

    private void send(int slot) {
        assertTrue(site.queuePair.postSend(
                CIRCULATING + slot, site.memory, SENDS + slot * MESSAGE, MESSAGE, WrFlags.SIGNALLED));
        outstanding++;
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
