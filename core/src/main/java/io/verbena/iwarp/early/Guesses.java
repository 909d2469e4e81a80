package io.verbena.iwarp.early;

import io.verbena.base.Digest;
import io.verbena.iwarp.IwarpStream;
import io.verbena.iwarp.frame.FpduReader;
import io.verbena.wire.Ulpdu;
import java.lang.foreign.MemorySegment;

/**
 * Writes that were placed after a hole although it is not certain that an FPDU starts there.
 *
 * <p><b>The guess.</b> Senders that follow RFC 5044 section 5.1 begin an FPDU at the start of a TCP segment. Without markers the
 * receiver cannot rely on it. If the start of a segment is a complete FPDU with a correct checksum, it is <i>probably</i> one; what
 * follows it in the segment by its length is as probable. It is certain when the bytes before it are in order and an FPDU ends
 * there, or when a certain early FPDU ends there.
 *
 * <pre>
 *      in order        hole       segment: checksum correct
 *   ================|- - - - -|== Write? ==|== Write? ==|
 *   =====|== FPDU ==|== FPDU =|             confirmed: becomes an early record, and is delivered
 *   =====|== FPDU ==|== FPDU ====...        contradicted: withdrawn, and TCP offers the bytes again
 * </pre>
 *
 * <p><b>A wrong guess is possible, also by intent.</b> Bytes that look like an FPDU can be part of the payload of another one: an
 * application whose data a third party chooses can be made to send them, and to lose a segment is a matter of patience. The
 * checksum is no protection, because anyone can compute it. The bytes of a wrong guess are in memory when the guess is withdrawn,
 * and no copy of the former contents exists. The following rules bound what that means:
 *
 * <ul>
 *   <li><b>Only Writes with payload, and only to memory that this peer may write now</b>: the key, the protection domain, the right
 *       REMOTE_WRITE and the bounds are checked as for any Write. The peer could have changed these bytes at any time, so the
 *       application must not rely on their contents unless a message of the peer permits it. What a wrong guess adds is that the
 *       <i>author of the payload</i> may have chosen bytes and address. He must know a key, all 32 bits of which are random. A
 *       one-shot key does not match.
 *   <li><b>Never a receive buffer or the sink of a Read.</b> The peer has no right to write there, except as the answer to a work
 *       request, whose completion later vouches for the contents. A wrong guess could overwrite what was placed there correctly, and
 *       the completion would report it as received. So a Send or a Read Response is not guessed.
 *   <li><b>Nothing with an effect besides placement.</b> Read Requests, atomics, invalidation and Terminate wait. Nothing is counted
 *       in a hole, and nothing completes.
 *   <li><b>Nothing before the first FPDU was delivered.</b> Until then it is not known whether the peer follows MPA at all.
 *   <li><b>Certain knowledge wins.</b> A guess is not made where a certain FPDU starts or lies within, and is withdrawn when certain
 *       bytes reach into it.
 *   <li><b>The cumulative acknowledgment never covers a guess.</b> SACK does, so the peer does not repeat the bytes. If the guess is
 *       withdrawn, the receiver reneges (RFC 2018 section 8: the sender keeps data until it is acknowledged cumulatively).
 * </ul>
 *
 * An application for which the second sentence of the first rule is too much must not enable guesses. They are disabled by default.
 *
 * <p><b>Bounds.</b> Consecutive segments of one Write are one record; a stream has at most {@link #MOST} records. No guess is made
 * before the stream has collected the ranges that were withdrawn, so these are bounded as well.
 */
public final class Guesses {

    /** Maximum number of records. */
    public static final int MOST = 256;

    private final boolean enabled;
    private final EarlyRecords records;
    private long[] withdrawnFrom = {};
    private long[] withdrawnTo = {};
    private int collected = -1;
    private int withdrawn;

    /** No guesses yet; if they are not enabled, there will be none. */
    Guesses(boolean enabled, FpduReader reader) {
        this.enabled = enabled;
        records = new EarlyRecords(reader, MOST);
    }

    public boolean isEmpty() {
        return records.count() == 0;
    }

    /** Whether a guess may be made now. */
    boolean possible() {
        return enabled && withdrawn == 0;
    }

    EarlyRecords records() {
        return records;
    }

    /** Stream offset of the first guess; there is one. */
    public long first() {
        return records.position(0);
    }

    /** Stream offset after the guess that contains {@code at}; {@code at} if none does. */
    long endFrom(long at) {
        int i = records.firstFrom(at + 1) - 1;
        return i >= 0 && records.end(i) > at ? records.end(i) : at;
    }

    /** Whether a guess contains one of these bytes. */
    boolean overlaps(long from, long to) {
        int i = records.firstFrom(to) - 1;
        return i >= 0 && records.end(i) > from;
    }

    /** The Write at {@code from} was placed. There is room for a record. */
    void add(long from, long to, Ulpdu u, MemorySegment segment) {
        records.add(from, to, EarlyRecords.WRITE, u, segment, 0);
    }

    /** Index of the guess that starts at {@code from}; -1 if there is none. */
    int startingAt(long from) {
        int i = records.firstFrom(from);
        return i < records.count() && records.position(i) == from ? i : -1;
    }

    /** Withdraws the guesses that contain one of these bytes, whole. Returns the number of bytes. */
    long withdraw(long from, long to) {
        long bytes = 0;
        int i = records.firstFrom(to) - 1;
        while (i >= 0 && records.end(i) > from) {
            bytes += records.end(i) - records.position(i);
            report(records.position(i), records.end(i));
            records.remove(i);
            i--;
        }
        return bytes;
    }

    private void report(long from, long to) {
        if (withdrawnFrom.length == 0) {
            withdrawnFrom = new long[MOST];
            withdrawnTo = new long[MOST];
        }
        withdrawnFrom[withdrawn] = from;
        withdrawnTo[withdrawn] = to;
        withdrawn++;
    }

    /** See {@link IwarpStream#nextWithdrawn}. */
    public boolean nextWithdrawn() {
        collected++;
        if (collected < withdrawn) {
            return true;
        }
        collected = -1;
        withdrawn = 0;
        return false;
    }

    public long withdrawnFrom() {
        return withdrawnFrom[collected];
    }

    public long withdrawnTo() {
        return withdrawnTo[collected];
    }

    long stateDigest(long digest) {
        return isEmpty() && withdrawn == 0 ? digest : Digest.mix(records.stateDigest(digest), withdrawn);
    }
}
