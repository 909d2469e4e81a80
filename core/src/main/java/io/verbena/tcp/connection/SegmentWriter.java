package io.verbena.tcp.connection;

import io.verbena.tcp.receive.TcpReceiver;
import io.verbena.tcp.segment.Agreement;
import io.verbena.tcp.segment.Ecn;
import io.verbena.tcp.segment.Place;
import io.verbena.tcp.segment.Timestamps;
import io.verbena.tcp.send.PlannedSegment;
import io.verbena.tcp.send.SegmentOut;
import io.verbena.tcp.send.TcpSender;
import io.verbena.tcp.state.TcpSettings;
import io.verbena.tcp.state.TcpState;
import io.verbena.wire.ip.TcpHeader;
import io.verbena.wire.ip.TcpOptionReader;
import io.verbena.wire.ip.TcpOptionWriter;

/**
 * Writes the segments of a connection, and keeps what the peer learns from them: the last acknowledgment and the end of the
 * advertised window. Every segment after the SYN states both.
 */
final class SegmentWriter {

    private final TcpConnection connection;
    private final TcpSettings settings;
    private final Agreement agreement;
    private final int iss;
    private long lastAcknowledged;
    private long advertisedEdge;

    SegmentWriter(TcpConnection connection, TcpSettings settings, Agreement agreement, long iss) {
        this.connection = connection;
        this.settings = settings;
        this.agreement = agreement;
        this.iss = (int) iss;
    }

    /** The sequence number that was acknowledged last. */
    long lastAcknowledged() {
        return lastAcknowledged;
    }

    /** The end of the window that was advertised last. */
    long advertisedEdge() {
        return advertisedEdge;
    }

    /** The peer's SYN has arrived: the window starts. */
    void begin(long edge) {
        advertisedEdge = edge;
    }

    /** The SYN of this side was sent before this connection existed. */
    void synSentBefore() {
        lastAcknowledged = connection.receiver().nxt();
    }

    void syn(SegmentOut out, Place place, long nowNs) {
        boolean answer = connection.state() != TcpState.SYN_SENT;
        Timestamps timestamps = connection.timestamps();
        TcpOptionWriter options = out.begin(place.memory(), place.offset());
        agreement.write(options, settings.mtu() - connection.key().headerBytes(), answer);
        if (answer ? timestamps.used() : settings.features().timestamps()) {
            options.timestamps(timestamps.now(nowNs), timestamps.recent());
        }
        int window = Agreement.firstWindow(settings);
        int flags =
                TcpHeader.SYN | (answer ? TcpHeader.ACK : 0) | connection.ecn().synFlags(answer);
        long received = connection.receiver().nxt();
        out.header(connection.key().ports(), iss, answer ? (int) received : 0, flags, window);
        if (answer) {
            acknowledged(false);
        }
    }

    /** Writes the data that the sender has planned. */
    void data(SegmentOut out, Place place, long nowNs) {
        TcpSender sender = connection.sender();
        PlannedSegment planned = sender.planned();
        long from = planned.from();
        long to = sender.plannedDataEnd();
        TcpOptionWriter options = beginWithTimestamps(out, place, nowNs);
        // Blocks only as far as the segment keeps its size; otherwise a segment without data follows with them.
        int space = Math.max(0, (sender.segmentBytes() - (int) (to - from) - 4) / 8);
        boolean partial = writeBlocks(options, Math.min(space, options.blockSpace()))
                || connection.receiver().offerable();
        boolean push = to == sender.buffer().end();
        boolean newData = planned.isNew();
        Ecn ecn = connection.ecn();
        int fin = planned.to() > to ? TcpHeader.FIN : 0;
        header(out, from, TcpHeader.ACK | (push ? TcpHeader.PSH : 0) | fin | ecn.flags(newData));
        // RFC 3168 section 6.1.5: no mark on a repetition, and section 6.1.4: none on an acknowledgment without data.
        out.congestionCapable(newData && ecn.used());
        out.payload(sender.buffer(), from, to);
        acknowledged(partial && connection.acks().due(false));
    }

    /** Writes a segment without data. */
    void empty(SegmentOut out, Place place, long sequence, int flags, long nowNs) {
        TcpOptionWriter options = beginWithTimestamps(out, place, nowNs);
        boolean reset = (flags & TcpHeader.RST) != 0;
        if (!reset) {
            writeBlocks(options, options.blockSpace());
        }
        header(out, sequence, reset ? flags : flags | connection.ecn().flags(false));
        acknowledged(false);
    }

    private TcpOptionWriter beginWithTimestamps(SegmentOut out, Place place, long nowNs) {
        TcpOptionWriter options = out.begin(place.memory(), place.offset());
        Timestamps timestamps = connection.timestamps();
        if (timestamps.used()) {
            options.timestamps(timestamps.now(nowNs), timestamps.recent());
        }
        return options;
    }

    /** Writes SACK blocks; returns whether there was no space for any of them. */
    private boolean writeBlocks(TcpOptionWriter options, int space) {
        TcpReceiver receiver = connection.receiver();
        int wanted = agreement.sack() ? receiver.blocks(TcpOptionReader.MAX_BLOCKS) : 0;
        int count = Math.min(wanted, space);
        if (count > 0) {
            options.sack(count);
            receiver.writeBlocks(options, count);
            receiver.onBlocksSent();
        }
        return count == 0 && wanted > 0;
    }

    private void header(SegmentOut out, long sequence, int flags) {
        TcpReceiver receiver = connection.receiver();
        int shift = agreement.receiveShift();
        int field = (int) Math.min(Agreement.UNSCALED, receiver.window() >> shift);
        out.header(connection.key().ports(), (int) sequence, (int) receiver.nxt(), flags, field);
        advertisedEdge = receiver.nxt() + ((long) field << shift);
    }

    private void acknowledged(boolean partial) {
        lastAcknowledged = connection.receiver().nxt();
        connection.acks().onSent(partial);
    }
}
