package io.verbena.ib.paths;

import io.verbena.ib.endpoint.MigratingPath;
import io.verbena.ib.packet.PacketBuilder;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.IbPacket;
import io.verbena.wire.ib.PathProbe;
import java.lang.foreign.MemorySegment;

/**
 * The packets that ask whether a path works, and the answers to those of the peer. An answer is sent for each question, is as long
 * as the question, and takes the path with the same number. Questions that cannot be answered at once are limited; more are dropped.
 */
public final class PathQuestions {

    /** Most answers that wait. */
    private static final int MOST_OWED = 16;

    private static final int NO_PATH = -1;

    private final int remoteQp;
    private final MigratingPath path;
    private final PathProbe probe = new PathProbe();
    private final int[] owedEntropy = new int[MOST_OWED];
    private final long[] owedNonce = new long[MOST_OWED];
    private int firstOwed;
    private int owed;

    /** The path on which everything that has arrived was acknowledged last. */
    private int acknowledgedOn = NO_PATH;

    private PathProbes probes = new PathProbes(new Path[0], 0, 0, PathEvents.NONE);

    /** The questions and answers of a connection to a queue pair. */
    public PathQuestions(int remoteQp, MigratingPath path) {
        this.remoteQp = remoteQp;
        this.path = path;
    }

    /** Asks for these paths from now on. */
    public void of(PathProbes asking) {
        probes = asking;
    }

    /** What a packet is. */
    public enum Kind {
        /** A question of the peer, which will be answered. */
        QUESTION,
        /** The answer to an open question. */
        ANSWER,
        /** A packet without effect. */
        NEITHER
    }

    /** Processes a packet. */
    public Kind onPacket(IbPacket packet, MemorySegment segment, long nowNs) {
        if (packet.payloadBytes() != PathProbe.LENGTH) {
            return Kind.NEITHER;
        }
        probe.wrap(segment, packet.payloadOffset());
        if (probe.answer()) {
            return probes.answered(probe.entropy(), probe.nonce(), nowNs) ? Kind.ANSWER : Kind.NEITHER;
        }
        if (owed == MOST_OWED) {
            return Kind.NEITHER;
        }
        int at = (firstOwed + owed++) % MOST_OWED;
        owedEntropy[at] = probe.entropy();
        owedNonce[at] = probe.nonce();
        return Kind.QUESTION;
    }

    /** Whether a question or an answer is due. */
    public boolean hasWork() {
        return owed > 0 || probes.due() >= 0;
    }

    /**
     * The path of the next answer, or -1, if what has arrived must be acknowledged there before: an answer that came
     * first would make it seem lost. One acknowledgement stands for answers in a row.
     */
    public int acknowledgedFirst() {
        if (owed == 0 || acknowledgedOn == owedEntropy[firstOwed]) {
            return NO_PATH;
        }
        acknowledgedOn = owedEntropy[firstOwed];
        return acknowledgedOn;
    }

    /** Something has arrived. */
    public void received() {
        acknowledgedOn = NO_PATH;
    }

    /** Builds the next answer or question. Returns false when the list is full. */
    public boolean step(PacketBuilder out, long nowNs) {
        if (owed > 0) {
            if (!build(out, true, owedEntropy[firstOwed], owedNonce[firstOwed])) {
                return false;
            }
            firstOwed = (firstOwed + 1) % MOST_OWED;
            owed--;
            return true;
        }
        int asked = probes.due();
        if (!build(out, false, asked, probes.nonce(asked))) {
            return false;
        }
        probes.asked(asked, nowNs);
        return true;
    }

    private boolean build(PacketBuilder out, boolean answer, int entropy, long nonce) {
        path.take(entropy);
        if (!path.begin(out, IbOpcode.PATH_PROBE, remoteQp, 0, PathProbe.LENGTH)) {
            return false;
        }
        probe.wrap(out.segment(), out.payload()).set(answer, entropy, nonce);
        out.end(path.current());
        return true;
    }
}
