package io.verbena.ib.request;

import io.verbena.ib.endpoint.QueuePairWork;
import io.verbena.ib.packet.Opcodes;
import io.verbena.ib.packet.Psn;
import io.verbena.queue.WorkQueue;
import io.verbena.queue.Wqe;
import io.verbena.wire.ib.IbPacket;
import io.verbena.work.Moved;
import java.lang.foreign.MemorySegment;

/** Places the packets of responses to Reads in the buffers of their work queue elements. */
final class ReadPlacement {

    private final QueuePairWork owner;
    private final WorkQueue work;
    private final Requester requester;
    private final int mtuBytes;
    private final int window;
    private final Wqe wqe = new Wqe();

    /** Places early responses less than {@code window} PSNs ahead. */
    ReadPlacement(QueuePairWork owner, Requester requester, int mtuBytes, int window) {
        this.window = window;
        this.owner = owner;
        this.requester = requester;
        this.mtuBytes = mtuBytes;
        work = owner.queues().send();
    }

    /** Whether a packet has the length of this packet of the response; false for work that is not a Read. */
    boolean fits(long index, int response, IbPacket packet) {
        work.at(index, wqe);
        long done = (long) response * mtuBytes;
        return Opcodes.read(wqe.opcode()) && packet.payloadBytes() == (int) Math.min(mtuBytes, wqe.length() - done);
    }

    /** Places a packet that {@link #fits}. */
    Moved place(long index, int response, IbPacket packet, MemorySegment segment) {
        work.at(index, wqe);
        long done = (long) response * mtuBytes;
        return owner.buffers().scatter(wqe, done, segment, packet.payloadOffset(), packet.payloadBytes());
    }

    /**
     * Places a packet that arrived before an earlier one. A packet that does not fit its Read or cannot be placed now
     * is dropped and requested again.
     *
     * @return whether it is in its buffer
     */
    boolean placeEarly(IbPacket packet, MemorySegment segment, long oldest, int oldestPsn) {
        int psn = packet.bth().psn();
        int ahead = Psn.distance(psn, oldestPsn);
        if (ahead <= 0 || ahead >= window || Psn.distance(psn, requester.endPsn()) >= 0) {
            return false;
        }
        long index = find(psn, oldest);
        if (index == requester.started()) {
            return false;
        }
        int response = Psn.distance(psn, requester.firstPsn(index));
        return fits(index, response, packet) && place(index, response, packet, segment) == Moved.DONE;
    }

    /** The element to which a PSN belongs, from {@code oldest} on; the end of what was started if there is none. */
    private long find(int psn, long oldest) {
        long index = oldest;
        while (index < requester.started()
                && Psn.distance(psn, requester.firstPsn(index)) >= requester.packets(index)) {
            index++;
        }
        return index;
    }

    /**
     * Places the result of an atomic that arrived before an earlier response.
     *
     * @return whether it is in its buffer
     */
    boolean placeAtomicEarly(int psn, MemorySegment word, long oldest, int oldestPsn) {
        int ahead = Psn.distance(psn, oldestPsn);
        if (ahead <= 0 || ahead >= window || Psn.distance(psn, requester.endPsn()) >= 0) {
            return false;
        }
        long index = find(psn, oldest);
        return index < requester.started()
                && Opcodes.atomic(work.at(index, wqe).opcode())
                && owner.buffers().scatter(wqe, 0, word, 0, Long.BYTES) == Moved.DONE;
    }
}
