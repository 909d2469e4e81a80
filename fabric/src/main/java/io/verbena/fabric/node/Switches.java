package io.verbena.fabric.node;

import io.verbena.fabric.link.Frames;
import io.verbena.fabric.link.LinkSettings;
import io.verbena.fabric.link.Links;
import io.verbena.fabric.link.TimingWheel;
import java.util.Arrays;

/**
 * The input buffers and crossbars of all switches. A flit leaves as soon as its output is free, also while the rest of its
 * frame is still on its way (cut-through).
 *
 * <p>Flits are in slots. Each lane of an input has as many slots as its sender has credits; a queue is a list of slots. An
 * output lane has an owner, the queue whose first frame it transmits, and a cursor, the slot that it transmits next. Each
 * multicast output of a frame has a cursor of its own, and a slot becomes free when all of them have passed it.
 */
final class Switches {
    static final int NONE = -1;
    /** Values of {@link #branch} while a queue is empty, discards its first frame, or copies it to the ports in {@link #copies}. */
    static final int NO_FRAME = 0;

    static final int DISCARD = -1;
    static final int SEVERAL = -2;

    final Frames frames;
    final Links links;
    final Forwarding forwarding;
    final int laneShift;
    final int lanes;
    final int queueShift;
    final int[] head;
    final int[] owner;
    final int[] cursor;
    /** For each output lane the inputs that want it, a set of {@link #words} longs. */
    final long[] requests;
    /** The output of a queue's first frame, from 1 on at its switch, or a value above. */
    final int[] branch;
    /** Longs of a set of ports. */
    final int words;
    /** The outputs of a multicast that is the first frame of a queue; of length 0 if switches cannot copy frames. */
    private final long[] copies;
    /** Two longs per slot: the tick from which on its flit may leave; flit &lt;&lt; 32 | next slot. */
    private final long[] slots;

    private final Organisation organisation;
    private final Islip islip;
    private final int delay;
    private final boolean keepsLane;
    private final int inLanes;
    private final int[] free;
    private final int[] tail;
    private final int[] outLane;
    private final int[] filling;
    private final int[] turn;
    private final byte[] laneTurn;
    private final int[] active;
    private final byte[] slotPassed;
    private long nextReady;
    private long discarded;

    Switches(Wiring wiring, Frames frames, Links links, LinkSettings link, SwitchSettings settings) {
        this.frames = frames;
        this.links = links;
        organisation = settings.organisation();
        delay = settings.delayTicks();
        lanes = link.lanes();
        laneShift = Links.laneShift(lanes);
        keepsLane = wiring.keepsLanes();
        inLanes = keepsLane ? 1 : lanes;
        int ports = wiring.ports();
        int most = 0;
        for (int node = 0; node < wiring.nodes(); node++) {
            most = wiring.isSwitch(node) ? Math.max(most, wiring.portCount(node)) : most;
        }
        // One queue more than ports: that of frames to be discarded.
        queueShift = organisation == Organisation.INPUT_QUEUES ? 0 : Integer.SIZE - Integer.numberOfLeadingZeros(most);
        int laneCount = ports << laneShift;
        head = filled(laneCount << queueShift);
        tail = filled(laneCount << queueShift);
        branch = new int[laneCount << queueShift];
        words = PortSet.words(Math.max(1, most));
        copies = new long[queueShift == 0 ? laneCount * words : 0];
        outLane = new int[laneCount << queueShift];
        filling = new int[laneCount];
        owner = filled(laneCount);
        cursor = filled(laneCount);
        turn = new int[laneCount];
        laneTurn = new byte[laneCount];
        requests = new long[words * (keepsLane ? laneCount : laneCount << laneShift)];
        active = new int[ports];
        free = filled(laneCount);
        int depth = link.bufferFlits();
        int count = 0;
        int[] start = filled(laneCount);
        for (int p = 0; p < ports; p++) {
            for (int lane = 0; lane < lanes && wiring.isSwitch(wiring.nodeOf(p)) && wiring.peer(p) >= 0; lane++) {
                start[(p << laneShift) + lane] = count;
                count = Math.addExact(count, depth);
            }
        }
        slots = new long[2 * count];
        slotPassed = new byte[count];
        for (int vc = 0; vc < laneCount; vc++) {
            for (int i = 0; i < depth && start[vc] >= 0; i++) {
                setSlot(start[vc] + i, 0, free[vc]);
                free[vc] = start[vc] + i;
            }
        }
        forwarding = new Forwarding(wiring, frames, links, this, settings.adaptive(), lanes);
        islip = new Islip(this, wiring, settings.iterations());
    }

    private int next(int slot) {
        return (int) slots[2 * slot + 1];
    }

    private int flitIn(int slot) {
        return (int) (slots[2 * slot + 1] >>> 32);
    }

    private void setSlot(int slot, int flit, int next) {
        slots[2 * slot + 1] = (long) flit << 32 | next & 0xffff_ffffL;
    }

    /** The tick from which on the flit of a slot may leave. */
    long readyAt(int slot) {
        return slots[2 * slot];
    }

    private static int[] filled(int length) {
        int[] array = new int[length];
        Arrays.fill(array, NONE);
        return array;
    }

    /** Frames that no table forwards, or that went in a circle. */
    long discarded() {
        return discarded;
    }

    /** The begin in {@link #requests} of an output lane for the frames of an input lane: one where frames keep their lane. */
    private int requestsOf(int line, int in) {
        return words * (keepsLane ? line : (line << laneShift) + in);
    }

    /** Frames that use or want an output lane. */
    int waiting(int out, int lane) {
        int line = (out << laneShift) + lane;
        int count = owner[line] >= 0 ? 1 : 0;
        for (int in = 0; in < inLanes; in++) {
            count += PortSet.size(requests, requestsOf(line, in), words);
        }
        return count;
    }

    /** The queue of an input lane for an output, both numbered from 0 at their switch. */
    int queue(int port, int lane, int output) {
        int line = (port << laneShift) + lane;
        return queueShift == 0 ? line : (line << queueShift) + output;
    }

    void onFlit(int port, int lane, int flit, long now) {
        int line = (port << laneShift) + lane;
        int slot = free[line];
        if (slot < 0) {
            throw new IllegalStateException("port " + port + " got a flit of lane " + lane + " without a credit");
        }
        free[line] = next(slot);
        setSlot(slot, flit, NONE);
        slots[2 * slot] = now + delay;
        if ((flit & Frames.HEAD) != 0) {
            filling[line] = queueShift == 0 ? line : (line << queueShift) + chosenOutput(port, flit);
        }
        int q = filling[line];
        int end = tail[q];
        tail[q] = slot;
        if (end >= 0) {
            setSlot(end, flitIn(end), slot);
        } else {
            head[q] = slot;
        }
        int to = branch[q];
        if (to == NO_FRAME) {
            request(q, slot);
        } else if (to == DISCARD) {
            discard(q);
        } else if (to == SEVERAL) {
            resumeCopies(q, port, slot);
        } else if (end < 0) {
            resume(q, forwarding.first(port) + to - 1, slot);
        }
    }

    /** With a queue per output, the route is chosen on arrival. */
    private int chosenOutput(int port, int flit) {
        int output = forwarding.output(port, Frames.frameOf(flit));
        if (output == Forwarding.SEVERAL) {
            throw new IllegalStateException("multicast needs a switch with " + Organisation.INPUT_QUEUES);
        }
        return output == Forwarding.NOWHERE ? (1 << queueShift) - 1 : output - 1;
    }

    /** An output that has transmitted all of a frame that had arrived can go on with its next flit. */
    private void resume(int q, int out, int slot) {
        int line = (out << laneShift) + outLane[q];
        if (owner[line] == q && cursor[line] < 0) {
            cursor[line] = slot;
            links.offer(out, readyAt(slot));
        }
    }

    private void resumeCopies(int q, int port, int slot) {
        int first = forwarding.first(port);
        for (int out = copy(q, 0); out >= 0; out = copy(q, out + 1)) {
            resume(q, first + out, slot);
        }
    }

    /** The first output, from {@code from} on, of the multicast that is the first frame of a queue; -1 if there is none. */
    int copy(int q, int from) {
        return PortSet.next(copies, q * words, words, from);
    }

    /** A frame has become the first of its queue. */
    private void request(int q, int slot) {
        int port = q >> queueShift + laneShift;
        int frame = Frames.frameOf(flitIn(slot));
        int output;
        if (queueShift == 0) {
            output = forwarding.output(port, frame);
        } else {
            int queued = q & (1 << queueShift) - 1;
            output = queued == (1 << queueShift) - 1 ? Forwarding.NOWHERE : queued + 1;
        }
        int first = forwarding.first(port);
        if (output == Forwarding.NOWHERE) {
            branch[q] = DISCARD;
            discard(q);
        } else if (output == Forwarding.SEVERAL) {
            branch[q] = SEVERAL;
            System.arraycopy(forwarding.several, 0, copies, q * words, words);
            frames.addCopies(frame, PortSet.size(copies, q * words, words) - 1);
            for (int out = copy(q, 0); out >= 0; out = copy(q, out + 1)) {
                request(q, slot, port, first + out);
            }
        } else {
            branch[q] = output;
            request(q, slot, port, first + output - 1);
        }
    }

    private void request(int q, int slot, int port, int out) {
        int first = forwarding.first(port);
        int in = (q >> queueShift) & (1 << laneShift) - 1;
        int lane = forwarding.lane(port, out, Frames.frameOf(flitIn(slot)));
        outLane[q] = lane;
        PortSet.add(requests, requestsOf((out << laneShift) + lane, in), port - first);
        active[out] |= 1 << lane;
        if (organisation == Organisation.VIRTUAL_OUTPUT_QUEUES) {
            islip.wanted(first, lane, out - first);
        }
        links.offer(out, readyAt(slot));
    }

    private void discard(int q) {
        while (branch[q] == DISCARD && head[q] >= 0) {
            int slot = head[q];
            int flit = flitIn(slot);
            if ((flit & Frames.TAIL) != 0) {
                frames.release(Frames.frameOf(flit));
                discarded++;
            }
            release(q, slot, flit);
        }
    }

    int readyLanes(int port, long now) {
        nextReady = TimingWheel.NEVER;
        int ready = 0;
        int first = forwarding.first(port);
        int candidates = organisation == Organisation.VIRTUAL_OUTPUT_QUEUES ? (1 << lanes) - 1 : active[port];
        for (int bits = candidates; bits != 0; bits &= bits - 1) {
            int lane = Integer.numberOfTrailingZeros(bits);
            int line = (port << laneShift) + lane;
            if (owner[line] < 0) {
                if (organisation == Organisation.VIRTUAL_OUTPUT_QUEUES) {
                    islip.match(first, lane, now);
                } else {
                    grant(first, line, port - first, now);
                }
            }
            int slot = cursor[line];
            if (slot >= 0) {
                if (readyAt(slot) <= now) {
                    ready |= 1 << lane;
                } else {
                    nextReady = Math.min(nextReady, readyAt(slot));
                }
            }
        }
        return ready;
    }

    /** With a match of all ports, the end of a frame at one output may let another one begin. */
    boolean mayHaveMore(int port) {
        return active[port] != 0 || organisation == Organisation.VIRTUAL_OUTPUT_QUEUES;
    }

    long nextReady() {
        return nextReady;
    }

    /** A frame that an output wants to transmit becomes ready later. */
    void readyLater(long tick) {
        nextReady = Math.min(nextReady, tick);
    }

    /** Gives a free output lane to one of the inputs that request it, in turn. */
    private void grant(int first, int line, int output, long now) {
        for (int i = 0; i < inLanes; i++) {
            int in = keepsLane ? line & (1 << laneShift) - 1 : (laneTurn[line] + i) % lanes;
            int set = requestsOf(line, in);
            int begin = PortSet.cyclic(requests, set, words, turn[line]);
            for (int input = begin; input >= 0; ) {
                int q = queue(first + input, in, output);
                if (readyAt(head[q]) <= now) {
                    turn[line] = input + 1;
                    laneTurn[line] = (byte) (in + 1);
                    assign(line, in, input, q);
                    return;
                }
                readyLater(readyAt(head[q]));
                int next = PortSet.cyclic(requests, set, words, input + 1);
                input = next == begin ? NONE : next;
            }
        }
    }

    void assign(int line, int in, int input, int q) {
        PortSet.remove(requests, requestsOf(line, in), input);
        owner[line] = q;
        cursor[line] = head[q];
    }

    int take(int port, int lane, long now) {
        int line = (port << laneShift) + lane;
        int slot = cursor[line];
        int q = owner[line];
        int flit = flitIn(slot);
        if ((flit & Frames.TAIL) == 0) {
            cursor[line] = next(slot);
        } else {
            owner[line] = NONE;
            cursor[line] = NONE;
            if (!wanted(line)) {
                active[port] &= ~(1 << lane);
            }
        }
        if (branch[q] == SEVERAL) {
            if ((++slotPassed[slot] & 0xff) < PortSet.size(copies, q * words, words)) {
                return flit;
            }
            slotPassed[slot] = 0;
        }
        if ((flit & Frames.TAIL) != 0) {
            finish(q, slot, now + links.ticks(port, flit));
        }
        release(q, slot, flit);
        return flit;
    }

    private boolean wanted(int line) {
        for (int in = 0; in < inLanes; in++) {
            if (!PortSet.isEmpty(requests, requestsOf(line, in), words)) {
                return true;
            }
        }
        return false;
    }

    /** The input is busy with the last flit of a frame until {@code tick}. */
    private void finish(int q, int slot, long tick) {
        if (organisation == Organisation.VIRTUAL_OUTPUT_QUEUES) {
            islip.inputFreeAt(q >> queueShift, tick);
        } else if (organisation == Organisation.INPUT_QUEUES && next(slot) >= 0) {
            int next = next(slot);
            slots[2 * next] = Math.max(slots[2 * next], tick);
        }
    }

    private void release(int q, int slot, int flit) {
        int line = q >> queueShift;
        int next = next(slot);
        head[q] = next;
        if (next < 0) {
            tail[q] = NONE;
        }
        setSlot(slot, 0, free[line]);
        free[line] = slot;
        links.returnCredit(line >> laneShift, line & (1 << laneShift) - 1);
        if ((flit & Frames.TAIL) != 0) {
            branch[q] = NO_FRAME;
            if (next >= 0) {
                request(q, next);
            }
        }
    }

    /**
     * Discards the first frame of a queue, which waits for its output; not a multicast. If a part of it has left, its last flit follows, so that
     * the frame ends at other switches, too.
     */
    void expel(int q, long now) {
        int slot = head[q];
        if (slot < 0 || branch[q] <= NO_FRAME) {
            return;
        }
        int port = q >> queueShift + laneShift;
        int first = forwarding.first(port);
        int out = first + branch[q] - 1;
        int line = (out << laneShift) + outLane[q];
        if ((flitIn(slot) & Frames.HEAD) == 0) {
            frames.breakOff(Frames.frameOf(flitIn(slot)));
            while (head[q] >= 0 && (flitIn(head[q]) & Frames.TAIL) == 0) {
                release(q, head[q], flitIn(head[q]));
            }
            cursor[line] = head[q];
        } else {
            if (owner[line] == q) {
                owner[line] = NONE;
                cursor[line] = NONE;
                islip.inputFreeAt(q >> queueShift, now);
            }
            PortSet.remove(requests, requestsOf(line, (q >> queueShift) & (1 << laneShift) - 1), port - first);
            if (owner[line] < 0 && !wanted(line)) {
                active[out] &= ~(1 << outLane[q]);
            }
            branch[q] = DISCARD;
            discard(q);
        }
        links.offer(out, now);
    }

    /** The lane on which the first frame of a queue leaves. */
    int outLane(int q) {
        return outLane[q];
    }
}
