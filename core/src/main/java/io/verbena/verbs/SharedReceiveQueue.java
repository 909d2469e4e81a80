package io.verbena.verbs;

/** Receives that several queue pairs of one protection domain share (V3). One thread at a time posts. */
public interface SharedReceiveQueue extends AutoCloseable {

    ProtectionDomain protectionDomain();

    boolean postReceive(long wrId, MemoryRegion region, long offset, int length);

    /** Posts a receive template. */
    boolean post(WorkRequest receive);

    WorkRequest newWorkRequest();

    /** Receives it can hold. */
    int capacity();

    /** Receives that no message has taken yet. */
    int available();

    /** An event {@link AsyncEventType#SRQ_LIMIT_REACHED} is raised once when fewer than {@code limit} are left. */
    void armLimit(int limit);

    @Override
    void close();
}
