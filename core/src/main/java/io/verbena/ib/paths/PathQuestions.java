package io.verbena.ib.paths;

import io.verbena.base.Digest;
import io.verbena.ib.endpoint.MigratingPath;
import io.verbena.ib.packet.Origin;
import io.verbena.ib.packet.PacketBuilder;
import io.verbena.ib.settings.AddressPair;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.IbPacket;
import io.verbena.wire.ib.PathProbe;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The packets that ask whether a path works, and the answers to those of the peer. An answer is sent for each question, is as long
 * as the question, and takes the path with the same number. Questions that cannot be answered at once are limited; more are dropped.
 */
public final class PathQuestions {

    /** Most answers that wait. */
    private static final int MOST_OWED = 16;

    private static final int NO_PATH = -1;

    /** Added to the number of a further address, which is no path. */
    private static final int FURTHER = 1 << 16;

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
    private AddressProofs proofs = new AddressProofs(List.of());

    /** The questions and answers of a connection to a queue pair. */
    public PathQuestions(int remoteQp, MigratingPath path) {
        this.remoteQp = remoteQp;
        this.path = path;
    }

    /** Asks for these paths from now on. */
    public void of(PathProbes asking) {
        probes = asking;
    }

    /** Asks the further addresses of the peer, and answers from there, from now on. */
    public void prove(List<AddressPair> pairs) {
        path.others(pairs);
        proofs = new AddressProofs(pairs);
    }

    /** Processes a packet. Returns whether it is the answer to an open question about a path. */
    public boolean onPacket(IbPacket packet, MemorySegment segment, Origin origin, long nowNs) {
        if (packet.payloadBytes() != PathProbe.LENGTH) {
            return false;
        }
        probe.wrap(segment, packet.payloadOffset());
        if (probe.further() && !path.fromOther(probe.entropy(), origin)) {
            return false;
        }
        if (!probe.answer()) {
            owe(probe.entropy() | (probe.further() ? FURTHER : 0), probe.nonce());
            return false;
        }
        if (probe.further()) {
            if (proofs.answered(probe.entropy(), probe.nonce())) {
                path.use(probe.entropy());
            }
            return false;
        }
        return probes.answered(probe.entropy(), probe.nonce(), nowNs);
    }

    private void owe(int number, long nonce) {
        if (owed < MOST_OWED) {
            int at = (firstOwed + owed++) % MOST_OWED;
            owedEntropy[at] = number;
            owedNonce[at] = nonce;
        }
    }

    /** Whether a question or an answer is due. */
    public boolean hasWork(long nowNs) {
        return owed > 0 || probes.due() >= 0 || proofs.due(nowNs) != AddressProofs.NONE;
    }

    /** When a further address is to be asked again, or {@link io.verbena.base.Times#NEVER}. */
    public long deadlineNs() {
        return proofs.deadlineNs();
    }

    /**
     * The path of the next answer, or -1, if what has arrived must be acknowledged there before: an answer that came
     * first would make it seem lost. One acknowledgement stands for answers in a row.
     */
    public int acknowledgedFirst() {
        if (owed == 0 || owedEntropy[firstOwed] >= FURTHER || acknowledgedOn == owedEntropy[firstOwed]) {
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
        int address = proofs.due(nowNs);
        if (address != AddressProofs.NONE) {
            if (!build(out, false, FURTHER | address, proofs.nonce(address))) {
                return false;
            }
            proofs.asked(address, nowNs);
            return true;
        }
        int asked = probes.due();
        if (!build(out, false, asked, probes.nonce(asked))) {
            return false;
        }
        probes.asked(asked, nowNs);
        return true;
    }

    private boolean build(PacketBuilder out, boolean answer, int number, long nonce) {
        boolean further = number >= FURTHER;
        if (further) {
            path.takeOther(number - FURTHER);
        } else {
            path.take(number);
        }
        if (!path.begin(out, IbOpcode.PATH_PROBE, remoteQp, 0, PathProbe.LENGTH)) {
            return false;
        }
        probe.wrap(out.segment(), out.payload());
        if (further) {
            probe.setFurther(answer, number - FURTHER, nonce);
        } else {
            probe.set(answer, number, nonce);
        }
        out.end(path.current());
        return true;
    }

    public long stateDigest(long digest) {
        long d = Digest.mix(digest, (long) acknowledgedOn << 32 | owed);
        for (int i = 0; i < owed; i++) {
            int at = (firstOwed + i) % MOST_OWED;
            d = Digest.mix(Digest.mix(d, owedEntropy[at]), owedNonce[at]);
        }
        return proofs.stateDigest(d);
    }
}
