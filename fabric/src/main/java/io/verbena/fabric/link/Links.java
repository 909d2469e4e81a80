package io.verbena.fabric.link;

import io.verbena.base.Digest;
import org.jspecify.annotations.Nullable;

/**
 * All links of a fabric: flow control by credits of each lane, numbered flits, acknowledgements, and retransmission from the
 * first damaged flit on (go-back-N). A link never loses, repeats or reorders a flit, whatever its error rate.
 *
 * <p>Every direction of a link works alike. The sender numbers flits and keeps them until they are acknowledged. It sends a
 * flit of data only against a credit of its lane, which is a free place in the receiver's buffer. Header fields return
 * credits and acknowledgements of the opposite direction; flits without payload carry them while that direction has no data.
 * A flit that arrives damaged or after a gap is dropped. The receiver then asks once for the missing flit; if that request
 * is lost, the sender's timer repeats everything that is not acknowledged.
 *
 * <p>State is one block of longs per port, and a ring of unacknowledged flits; {@link LaneCredits} and {@link Flights} have the rest.
 */
public final class Links {
    // The block of a port. The first fields belong to its sender, then those of its receiver.
    private static final int FREE_AT = 0;
    static final int NEXT = 1;
    private static final int ACKED = 2;
    private static final int CURSOR = 3;
    private static final int FLAGS = 4;
    static final int EXPECTED = 5;
    private static final int UNANSWERED = 6;
    private static final int PROGRESS = 7;
    private static final int SEEN = 8;
    private static final int TIMES = 9;
    /** The start of the ring of unacknowledged flits in the upper half, its size in the lower one. */
    static final int RING = 10;

    static final int OTHER = 11;
    static final int BLOCK_SHIFT = 4;

    // Flags of a port: an acknowledgement is due, it asks for a retransmission, such a request has been sent; a lane
    // with data has no credit, and the port asks for the levels of the other end.
    private static final long ANSWER = 1;
    private static final long AGAIN = 2;
    private static final long ASKED = 4;
    private static final long STARVES = 8;
    private static final long LEVELS = 16;

    // Events: one of each kind per port. Only transmissions belong to the second phase of a tick.
    private static final int TIMER = 1;
    private static final int TICK = 2;
    private static final int TRANSMIT = 3;
    private static final int EVENTS = 4;

    private static final int DATA = FlitType.DATA.code();
    private static final int ACK = FlitType.ACK.code();
    private static final int LEVEL = FlitType.LEVEL.code();

    private final TimingWheel wheel;
    private final LinkEnds ends;
    private final Frames frames;
    private final int ports;
    private final BitErrors errors;
    private final long[] block;
    private final LaneCredits credits;
    private final CreditLevels levels;
    private final int[] turn;
    private LaneArbiter[] arbiters; // none while the lanes of all ports take turns

    private final Flights flights;
    private final long[] unacknowledged;
    private final LinkCounters counters;
    private @Nullable FlitObserver observer;
    private long hash;

    /** Links between ports, where {@code peers[p]} is the port at the other end of port p's link, or -1. */
    public Links(LinkEnds ends, Frames frames, int[] peers, LinkTiming[] timings, LinkSettings settings) {
        this.ends = ends;
        this.frames = frames;
        ports = peers.length;
        errors = new BitErrors(ports, settings.seed());
        wheel = new TimingWheel(EVENTS * ports, (EVENTS - 1) * ports, 1 << 12);
        block = new long[ports << BLOCK_SHIFT];
        credits = new LaneCredits(timings, settings);
        turn = new int[ports];
        counters = new LinkCounters(ports);
        arbiters = LaneArbiter.forPorts(settings.tables(), ports);
        int[] windows = new int[ports];
        int rings = 0;
        for (int p = 0; p < ports; p++) {
            windows[p] = peers[p] < 0 ? 0 : timings[p].window();
            block[(p << BLOCK_SHIFT) + RING] = (long) rings << 32 | windows[p];
            block[(p << BLOCK_SHIFT) + OTHER] = peers[p];
            rings += windows[p];
            connect(p, timings[p], settings);
        }
        flights = new Flights(windows);
        unacknowledged = new long[rings];
        levels = new CreditLevels(settings, credits, block, unacknowledged);
    }

    /** Lanes of a port are the elements from {@code port << laneShift} on. */
    public static int laneShift(int lanes) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(lanes - 1);
    }

    private void connect(int p, LinkTiming timing, LinkSettings settings) {
        int at = p << BLOCK_SHIFT;
        block[at + TIMES] = (long) timing.wireTicks() << 32 | (long) timing.controlTicks() << 16 | timing.flitTicks();
        errors.rate(p, settings.flitErrorRate());
        if (timing.flitTicks() >= 1 << 16) {
            throw new IllegalArgumentException(timing.flitTicks() + " ticks per flit: must be below 65536");
        }
    }

    /** Runs all events up to a tick and lets time pass up to it. */
    public void run(long until) {
        int event = wheel.take(until);
        while (event >= 0) {
            long now = wheel.now();
            if (event >= TRANSMIT * ports) {
                transmit(event - TRANSMIT * ports, now);
            } else if (event < ports) {
                receive(event, now);
            } else if (event < TICK * ports) {
                onTimer(event - TIMER * ports, now);
            } else {
                ends.onTick(event - TICK * ports, now);
            }
            event = wheel.take(until);
        }
        wheel.idleUntil(until);
    }

    /** The current tick. */
    public long now() {
        return wheel.now();
    }

    /** The earliest tick at which something may happen; {@link TimingWheel#NEVER} if nothing will. */
    public long nextTick() {
        return wheel.nextTick();
    }

    /** Asks for {@link LinkEnds#onTick} of a port at a tick, or at the one asked for before if that is earlier. */
    public void wakeAt(int port, long at) {
        wheel.schedule(TICK * ports + port, at);
    }

    /** Something may have become ready to be sent by a port at a tick. */
    public void offer(int port, long at) {
        wheel.schedule(TRANSMIT * ports + port, Math.max(at, block[(port << BLOCK_SHIFT) + FREE_AT]));
    }

    /** A place in the receive buffer of a port's lane is free again; the credit goes back to the sender. */
    public void returnCredit(int port, int lane) {
        if (credits.free(port, lane)) {
            offer(port, wheel.now());
        }
    }

    /** The number of flits that a port may send on a lane. */
    public int credits(int port, int lane) {
        return credits.available(port, lane);
    }

    /** The port at the other end; -1 if there is none. */
    public int peer(int port) {
        return (int) block[(port << BLOCK_SHIFT) + OTHER];
    }

    /** Time to transmit a flit of a frame. */
    public int ticks(int port, int flit) {
        int full = (int) block[(port << BLOCK_SHIFT) + TIMES] & 0xffff;
        if ((flit & Frames.TAIL) == 0) {
            return full;
        }
        int size = FlitHeader.LENGTH + frames.tailBytes(Frames.frameOf(flit));
        return size == FlitHeader.LENGTH + FlitHeader.PAYLOAD
                ? full
                : Math.ceilDiv(size * full, FlitHeader.LENGTH + FlitHeader.PAYLOAD);
    }

    /** The tick from which on a port can transmit again. */
    public long freeAt(int port) {
        return block[(port << BLOCK_SHIFT) + FREE_AT];
    }

    /** What the ports have counted. */
    public LinkCounters counters() {
        return counters;
    }

    /** A digest of every flit that has arrived: equal for two runs of a seed. */
    public long hash() {
        return hash;
    }

    /** Sets how the lanes of a port share its link. */
    public void tables(int port, LaneTables tables) {
        arbiters = LaneArbiter.with(arbiters, ports, port, tables);
    }

    /** Observes every flit that is transmitted. */
    public void observe(FlitObserver newObserver) {
        observer = newObserver;
    }

    private void transmit(int p, long now) {
        int at = p << BLOCK_SHIFT;
        // A transmission may have offered its own port once more.
        if (now < block[at + FREE_AT]) {
            offer(p, now);
            return;
        }
        if (flights.full(p)) {
            wheel.schedule(TRANSMIT * ports + p, now + Math.max(1, flitTicks(at)));
            return;
        }
        long next = block[at + NEXT];
        if (block[at + CURSOR] != next) {
            resend(p, at, now);
            return;
        }
        if ((block[at + FLAGS] & LEVELS) != 0) {
            block[at + FLAGS] &= ~LEVELS;
            send(p, at, FlitWord.control(FlitType.ACK) | FlitWord.ASKS, 0, controlTicks(at), now);
            return;
        }
        if (next - block[at + ACKED] < window(p)) {
            if (levels.owes(p)) {
                sendNumbered(p, at, levels.answer(p), controlTicks(at), now);
                return;
            }
            int ready = ends.readyLanes(p, now);
            int sendable = ready & credits.spendable(p);
            if (sendable == ready) {
                block[at + FLAGS] &= ~STARVES;
            } else if ((block[at + FLAGS] & STARVES) == 0) {
                block[at + FLAGS] |= STARVES;
                wheel.schedule(TIMER * ports + p, levels.starves(p, now, patience(p, at)));
            }
            if (sendable != 0) {
                int lane = pick(p, sendable, now);
                if (lane >= 0) {
                    sendData(p, at, lane, now);
                    return;
                }
            } else if (ready != 0) {
                counters.stalled(p, now);
            }
            long later = ends.nextReady();
            if (later != TimingWheel.NEVER) {
                offer(p, later);
            }
            if (credits.anyDue(p)) {
                sendNumbered(p, at, FlitWord.control(FlitType.CREDIT) | takeOwed(p, at), controlTicks(at), now);
                return;
            }
        }
        if ((block[at + FLAGS] & (ANSWER | AGAIN)) != 0) {
            send(p, at, FlitWord.control(FlitType.ACK), 0, controlTicks(at), now);
        }
    }

    private int pick(int p, int sendable, long now) {
        if (arbiters.length == 0 || arbiters[p].isEqual()) {
            int later = sendable & -2 << turn[p];
            int lane = Integer.numberOfTrailingZeros(later == 0 ? sendable : later);
            turn[p] = lane;
            return lane;
        }
        LaneArbiter arbiter = arbiters[p];
        int lane = arbiter.pick(sendable, now);
        if (arbiter.nextPeriod() != TimingWheel.NEVER) {
            offer(p, arbiter.nextPeriod());
        }
        return lane;
    }

    private int flitTicks(int at) {
        return (int) block[at + TIMES] & 0xffff;
    }

    private int controlTicks(int at) {
        return (int) block[at + TIMES] >>> 16;
    }

    private int window(int p) {
        return (int) block[(p << BLOCK_SHIFT) + RING];
    }

    private int kept(int p, long number) {
        long ring = block[(p << BLOCK_SHIFT) + RING];
        return (int) (ring >>> 32) + ((int) number & (int) ring - 1);
    }

    private void sendData(int p, int at, int lane, long now) {
        int flit = ends.takeFlit(p, lane, now);
        credits.spend(p, lane);
        int ticks = ticks(p, flit);
        counters.sent(p, flit, now);
        sendNumbered(p, at, FlitWord.data(flit, lane) | takeOwed(p, at), ticks, now);
    }

    /** Credits of the lane in turn, as fields of a header; 0 if none are owed. */
    private long takeOwed(int p, int at) {
        return credits.takeOwed(p, (int) (block[at + NEXT] & 15));
    }

    private void sendNumbered(int p, int at, long word, int ticks, long now) {
        long number = block[at + NEXT];
        if (number == block[at + ACKED]) {
            block[at + PROGRESS] = now;
            wheel.schedule(TIMER * ports + p, now + patience(p, at));
        }
        block[at + NEXT] = number + 1;
        block[at + CURSOR] = number + 1;
        unacknowledged[kept(p, number)] = word;
        send(p, at, word, number, ticks, now);
    }

    private void resend(int p, int at, long now) {
        long number = block[at + CURSOR];
        block[at + CURSOR] = number + 1;
        long word = unacknowledged[kept(p, number)];
        boolean data = FlitWord.type(word) == DATA;
        counters.resent(p);
        send(p, at, word, number, data ? ticks(p, FlitWord.flit(word)) : controlTicks(at), now);
    }

    private void send(int p, int at, long word, long number, int ticks, long now) {
        long fields = word;
        if ((block[at + FLAGS] & AGAIN) != 0) {
            fields |= FlitWord.GO_BACK;
        }
        block[at + FLAGS] &= ~(ANSWER | AGAIN);
        block[at + UNANSWERED] = 0;
        if (errors.next(p)) {
            fields |= FlitWord.DAMAGED;
        }
        long arrival = now + ticks + (block[at + TIMES] >>> 32);
        long numbers = number << 32 | block[at + EXPECTED] & 0xffff_ffffL;
        block[at + FREE_AT] = now + ticks;
        if (flights.add(p, arrival, fields, numbers)) {
            wheel.schedule(p, arrival);
        }
        if (credits.anyDue(p) || block[at + CURSOR] != block[at + NEXT] || ends.mayHaveMore(p) || levels.owes(p)) {
            wheel.schedule(TRANSMIT * ports + p, now + ticks);
        }
        if (observer != null) {
            observer.onTransmit(p, now, arrival, FlitSent.of(fields, numbers));
        }
    }

    /** Time without progress after which a sender repeats what is not acknowledged. */
    private long patience(int p, int at) {
        return 4L * window(p) * flitTicks(at);
    }

    /** Sets the probability that a flit which a port sends from now on arrives damaged. */
    public void errors(int port, double rate) {
        errors.rate(port, rate);
    }

    private void receive(int from, long now) {
        int entry = flights.take(from);
        long next = flights.nextArrival(from);
        if (next != TimingWheel.NEVER) {
            wheel.schedule(from, next);
        }
        int p = peer(from);
        int at = p << BLOCK_SHIFT;
        long word = flights.word(entry);
        long numbers = flights.numbers(entry);
        if ((word & FlitWord.DAMAGED) != 0) {
            counters.damaged(p);
            askAgain(p, at, now);
            return;
        }
        onAcknowledgement(p, at, (int) numbers, (word & FlitWord.GO_BACK) != 0, now);
        int type = FlitWord.type(word);
        if (type == ACK) {
            if ((word & FlitWord.ASKS) != 0) {
                levels.ask(p);
                offer(p, now);
            }
            return;
        }
        int number = (int) (numbers >>> 32);
        int ahead = number - (int) block[at + EXPECTED];
        if (ahead != 0) {
            onUnexpected(p, at, number, ahead, now);
            return;
        }
        block[at + EXPECTED]++;
        block[at + SEEN] = number;
        block[at + FLAGS] &= ~(AGAIN | ASKED);
        if (!levels.loses(from, FlitWord.credits(word))) {
            onCredits(p, FlitWord.creditLane(word), FlitWord.credits(word), now);
        }
        if (++block[at + UNANSWERED] >= window(p) >> 2) {
            block[at + FLAGS] |= ANSWER;
            offer(p, now);
        } else {
            wheel.schedule(TIMER * ports + p, now + (long) window(p) * flitTicks(at));
        }
        if (type == DATA) {
            int flit = FlitWord.flit(word);
            int lane = FlitWord.lane(word);
            counters.received(p, flit);
            hash = Digest.mix(hash ^ now, (long) flit << 32 | p);
            if (credits.use(p, lane)) {
                offer(p, now);
            }
            ends.onFlit(p, lane, flit, now);
        } else if (type == LEVEL) {
            int missing = levels.missing(p, word);
            if (missing > 0) {
                // Where credits were lost, more may be: the intervals start again.
                wheel.schedule(TIMER * ports + p, levels.starves(p, now, patience(p, at)));
                onCredits(p, FlitWord.lane(word), missing, now);
            }
        }
    }

    /** Finds credits that were lost on the way back. */
    public CreditLevels levels() {
        return levels;
    }

    /** A flit before the expected one is a repetition; one after it follows a gap. Both are dropped. */
    private void onUnexpected(int p, int at, int number, int ahead, long now) {
        boolean newPass = number - (int) block[at + SEEN] <= 0;
        block[at + SEEN] = number;
        if (ahead < 0) {
            block[at + FLAGS] |= ANSWER;
            offer(p, now);
            return;
        }
        // The sender has gone back already and the flit that was missing got damaged once more.
        if (newPass) {
            block[at + FLAGS] &= ~ASKED;
        }
        askAgain(p, at, now);
    }

    private void askAgain(int p, int at, long now) {
        if ((block[at + FLAGS] & ASKED) == 0) {
            block[at + FLAGS] |= AGAIN | ASKED;
            offer(p, now);
        }
    }

    private void onAcknowledgement(int p, int at, int expected, boolean again, long now) {
        int more = expected - (int) block[at + ACKED];
        if (more > 0) {
            boolean full = block[at + NEXT] - block[at + ACKED] >= window(p);
            block[at + ACKED] += more;
            block[at + PROGRESS] = now;
            block[at + CURSOR] = Math.max(block[at + CURSOR], block[at + ACKED]);
            if (full) {
                offer(p, now);
            }
        }
        if (again && more >= 0 && block[at + ACKED] != block[at + NEXT]) {
            block[at + CURSOR] = block[at + ACKED];
            block[at + PROGRESS] = now;
            offer(p, now);
        }
    }

    private void onCredits(int p, int lane, int count, long now) {
        if (count > 0 && credits.add(p, lane, count)) {
            offer(p, now);
        }
    }

    /** One timer for two purposes: an acknowledgement that is due, and flits that have not been acknowledged. */
    private void onTimer(int p, long now) {
        int at = p << BLOCK_SHIFT;
        if (block[at + UNANSWERED] > 0) {
            block[at + FLAGS] |= ANSWER;
            offer(p, now);
        }
        if ((block[at + FLAGS] & STARVES) != 0) {
            if (levels.asks(p, now)) {
                block[at + FLAGS] |= LEVELS;
                offer(p, now);
            }
            wheel.schedule(TIMER * ports + p, levels.askAt(p));
        }
        if (block[at + NEXT] == block[at + ACKED]) {
            return;
        }
        long due = block[at + PROGRESS] + patience(p, at);
        if (due <= now) {
            block[at + CURSOR] = block[at + ACKED];
            block[at + PROGRESS] = now;
            due = now + patience(p, at);
            offer(p, now);
        }
        wheel.schedule(TIMER * ports + p, due);
    }
}
