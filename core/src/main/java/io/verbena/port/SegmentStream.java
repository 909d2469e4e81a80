package io.verbena.port;

import io.verbena.base.TransmitList;
import java.io.IOException;

/**
 * A byte stream of a TCP in this process, which can deliver its segments in the order in which they arrive. A kernel's
 * TCP cannot, and offers a plain {@link ByteStream}. {@link StreamLoop} connects and accepts both.
 *
 * <pre>
 *   connect or accept      read, write                | deliverSegments      receive, write
 *   ---------------------> bytes in order, start-up   | -------------------> segments in any order
 * </pre>
 *
 * <p><b>Reception.</b> The owner calls {@link #receive} in its turn, because placement accesses memory, which may
 * happen only inside a turn. The stream offers each segment to a {@link SegmentTaker}, which reports the range that it
 * took. The stream acknowledges what was taken, and what it keeps: cumulatively up to the first offset that is missing or
 * that the taker may still withdraw, and by SACK after it. It offers the rest again:
 *
 * <ul>
 *   <li>The first byte that was not taken and has arrived in order is offered in each call of {@link #receive}, since
 *       the taker may have waited for memory.
 *   <li>Bytes after a hole may be kept or dropped. They are offered again when the hole has closed, or when the peer
 *       has retransmitted them, with any boundaries.
 * </ul>
 *
 * <p><b>Transmission.</b> {@link #write(TransmitList)} takes whole units. TCP segments end where units of at most {@link
 * #segmentBytes} bytes end, also when they are retransmitted; such a unit therefore arrives whole in one segment and can be placed
 * on its own. A longer unit is split anywhere.
 *
 * <p>The end, a reset and back-pressure are those of {@link ByteStream}.
 */
public interface SegmentStream extends ByteStream {

    /**
     * Delivers segments from now on: {@link #receive} replaces the read methods, which fail after this call. Bytes that
     * have arrived and have not been read are offered as segments.
     *
     * @param firstOffset the stream offset of the next byte that would have been read
     */
    void deliverSegments(long firstOffset);

    /**
     * Offers segments that have arrived, in any order. A segment is valid until {@link SegmentTaker#onSegment} returns.
     *
     * @param byteBudget no segment is offered after this many bytes; greater than 0
     * @return the number of bytes offered; 0 if nothing is left to offer, and {@link StreamEvents#onReadable} reports
     *     later segments; {@link #END} if all bytes of the peer were taken and none will follow
     * @throws IOException if the stream is broken (reset)
     */
    int receive(SegmentTaker taker, int byteBudget) throws IOException;

    /** Maximum payload of a TCP segment now (EMSS); the maximum size of a unit that arrives in one segment. */
    int segmentBytes();

    /**
     * Writes whole units of a list, in order. A unit is accepted if the stream holds no bytes that wait to be sent.
     *
     * @return the number of bytes written: 0, or the end of a unit
     */
    @Override
    int write(TransmitList list) throws IOException;
}
