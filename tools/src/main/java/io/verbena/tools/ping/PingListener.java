package io.verbena.tools.ping;

import java.lang.foreign.MemorySegment;

/** Told what happens during a ping. */
public interface PingListener {

    /**
     * A round's data, which rping prints as text.
     *
     * @param label rping's name for the data
     */
    void onData(String label, MemorySegment data);

    /** This number of rounds is complete. */
    void onRounds(long rounds);

    /** Something worth a line on standard error. */
    void onEvent(String line);
}
