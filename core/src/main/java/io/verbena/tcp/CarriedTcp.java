package io.verbena.tcp;

import io.verbena.port.StreamLoop;
import io.verbena.tcp.state.TcpCounters;

/**
 * The streams of an engine over a TCP in this process and its carrier. The driver of the engine calls {@link #turn} before each turn
 * of the engine, and {@link #flush} after it.
 */
public interface CarriedTcp extends StreamLoop {

    /** Takes arrived packets and due deadlines, and reports events. Returns a measure of the work. */
    int turn(long timeNs);

    /** Sends what the connections have to send. */
    void flush(long timeNs);

    /** When a turn is needed without another event, or {@link io.verbena.base.Times#NEVER}. */
    long nextDeadlineNs();

    /** The streams will not be driven any more: resets the open connections. */
    void close(long timeNs);

    /** What was counted. */
    TcpCounters counters();
}
