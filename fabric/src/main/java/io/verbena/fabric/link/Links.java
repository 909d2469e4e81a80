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
 * <p>State is one block of longs per port, and rings for flits in flight and unacknowledged flits. Nothing is allocated after
 * the constructor.
 *
 * <p>The file is longer than others because the sender and the receiver of a port share its block: a flit of one direction
 * carries the credits and acknowledgements of the other.
 */
public final class Links {
    // The block of a port. The first fields belong to its sender, then those of its receiver.
    private static final int FREE_AT = 0;
    private static final int NEXT = 1;
    private static final int ACKED = 2;
    private static final int CURSOR = 3;
    private static final int CREDITED = 4;
    private static final int OWED = 5;
    private static final int FLAGS = 6;
    private static final int EXPECTED = 7;
    private static final int ARRIVING = 8;
    private static final int ARRIVED = 9;
    private static final int UNANSWERED = 10;
    private static final int PROGRESS = 11;
    private static final int SEEN = 12;
    private static final int TIMES = 13;
    private static final int RING = 14;
    private static final int OTHER = 15;
    private static final int BLOCK_SHIFT = 4;

    // Flags of a port: an acknowledgement is due, it asks for a retransmission, and such a request has been sent.
    private static final long ANSWER = 1;
    private static final long AGAIN = 2;
    private static final long ASKED = 4;

    // Of the lanes with owed credits, a bit for each, those that must not wait for data to carry them.
    private static final int DUE_SHIFT = 16;
    private static final long DUE = 1L << DUE_SHIFT;

    // Events: one of each kind per port. Only transmissions belong to the second phase of a tick.
    private static final int TIMER = 1;
    private static final int TICK = 2;
    private static final int TRANSMIT = 3;
    private static final int EVENTS = 4;

    // An entry of a flight ring: the tick of its arrival; flit << 32 and the fields below; sequence << 32 |
    // acknowledgement.
    private static final int ENTRY = 3;
    private static final int LANE_SHIFT = 28;
    private static final int CREDIT_LANE_SHIFT = 24;
    private static final int CREDITS_SHIFT = 20;
    private static final int TYPE_SHIFT = 18;
    private static final long DAMAGED = 1 << 17;
    private static final long GO_BACK = 1 << 16;

    private static final int DATA = FlitType.DATA.code();
    private static final int CREDIT = FlitType.CREDIT.code();
    private static final int ACK = FlitType.ACK.code();

    private final TimingWheel wheel;
    private final LinkEnds ends;
    private final Frames frames;
    private final int ports;
    private final int laneShift;
    private final int lanes;
    private final BitErrors errors;
    private final long[] block;
    /** For each lane of a port the credits of its sender, then those that its receiver owes to the other end. */
    private final int[] credits;

    /** For each lane of a port the places of its receive buffer that are used or whose credits it owes: those the sender cannot use. */
    private final int[] held;

    private final int bufferFlits;
    private final int[] turn;
    private final LaneArbiter[] arbiters;
    private final long[] flights;
    private final long[] unacknowledged;
    private final LinkCounters counters;
    private @Nullable FlitObserver observer;
    private long hash;

    /** Links between ports, where {@code peers[p]} is the port at the other end of port p's link, or -1. */
    public Links(LinkEnds ends, Frames frames, int[] peers, LinkTiming[] timings, LinkSettings settings) {
        this.ends = ends;
        this.frames = frames;
        ports = peers.length;
        lanes = settings.lanes();
        laneShift = laneShift(lanes);
        errors = new BitErrors(ports, settings.seed());
        wheel = new TimingWheel(EVENTS * ports, (EVENTS - 1) * ports, 1 << 12);
        block = new long[ports << BLOCK_SHIFT];
        credits = new int[2 * ports << laneShift];
        held = new int[ports << laneShift];
        bufferFlits = settings.bufferFlits();
        turn = new int[ports];
        counters = new LinkCounters(ports);
        arbiters = LaneArbiter.forPorts(settings.tables(), ports);
        int rings = 0;
        for (int p = 0; p < ports; p++) {
            int at = p << BLOCK_SHIFT;
            int window = peers[p] < 0 ? 0 : windowFor(timings[p]);
            block[at + RING] = (long) rings << 32 | window;
            rings += 2 * window;
            // Where buffers are large, credits wait for data that carries them, or for others of their lane.
            int batch = Math.max(1, (settings.bufferFlits() - 4 * timings[p].roundTripFlits()) / 4);
            block[at + OTHER] = (long) peers[p] << 32 | batch;
            connect(p, timings[p], settings);
        }
        flights = new long[ENTRY * rings];
        unacknowledged = new long[rings >> 1];
    }

    /** Lanes of a port are the elements from {@code port << laneShift} on. */
    public static int laneShift(int lanes) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(lanes - 1);
    }

    private static int windowFor(LinkTiming timing) {
        int least = 2 * timing.roundTripFlits() + 8;
        int window = Math.max(16, Integer.highestOneBit(least - 1) << 1);
        if (window > FlitHeader.SEQUENCES / 2) {
            throw new IllegalArgumentException("a link with a round trip of " + timing.roundTripFlits()
                    + " flits needs more sequence numbers than a flit has: shorten the link or lower its rate");
        }
        return window;
    }

    private void connect(int p, LinkTiming timing, LinkSettings settings) {
        int at = p << BLOCK_SHIFT;
        block[at + TIMES] = (long) timing.wireTicks() << 32 | (long) timing.controlTicks() << 16 | timing.flitTicks();
        block[at + CREDITED] = (1L << lanes) - 1;
        errors.rate(p, settings.flitErrorRate());
        for (int lane = 0; lane < lanes; lane++) {
            credits[2 * ((p << laneShift) + lane)] = settings.bufferFlits();
        }
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
        int line = (port << laneShift) + lane;
        int count = ++credits[2 * line + 1];
        block[(port << BLOCK_SHIFT) + OWED] |= 1L << lane;
        if (count >= batch(port) || held[line] == bufferFlits) {
            sendCreditsSoon(port, lane);
        }
    }

    private void sendCreditsSoon(int port, int lane) {
        block[(port << BLOCK_SHIFT) + OWED] |= DUE << lane;
        offer(port, wheel.now());
    }

    /** The number of flits that a port may send on a lane. */
    public int credits(int port, int lane) {
        return credits[2 * ((port << laneShift) + lane)];
    }

    /** Whether credits of a lane are on their way back to the sender {@code port}; not those that wait for others. */
    public boolean creditsReturning(int port, int lane) {
        int to = peer(port);
        if (credits[2 * ((to << laneShift) + lane) + 1] >= batch(to)) {
            return true;
        }
        int at = to << BLOCK_SHIFT;
        for (long number = block[at + ACKED]; number < block[at + NEXT]; number++) {
            long word = unacknowledged[kept(to, number)];
            if ((int) (word >> CREDIT_LANE_SHIFT & 15) == lane && (word >> CREDITS_SHIFT & 15) > 0) {
                return true;
            }
        }
        return false;
    }

    /** The port at the other end; -1 if there is none. */
    public int peer(int port) {
        return (int) (block[(port << BLOCK_SHIFT) + OTHER] >> 32);
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
        if (block[at + ARRIVED] - block[at + ARRIVING] == 2L * window(p)) {
            wheel.schedule(TRANSMIT * ports + p, now + Math.max(1, flitTicks(at)));
            return;
        }
        long next = block[at + NEXT];
        if (block[at + CURSOR] != next) {
            resend(p, at, now);
            return;
        }
        if (next - block[at + ACKED] < window(p)) {
            int ready = ends.readyLanes(p, now);
            int sendable = ready & (int) block[at + CREDITED];
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
            if (block[at + OWED] >>> DUE_SHIFT != 0) {
                sendCredit(p, at, now);
                return;
            }
        }
        if ((block[at + FLAGS] & (ANSWER | AGAIN)) != 0) {
            send(p, at, (long) ACK << TYPE_SHIFT, 0, controlTicks(at), now);
        }
    }

    private int pick(int p, int sendable, long now) {
        if (arbiters.length == 0) {
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

    private int ringAt(int p) {
        return (int) (block[(p << BLOCK_SHIFT) + RING] >>> 32);
    }

    private int batch(int p) {
        return (int) block[(p << BLOCK_SHIFT) + OTHER];
    }

    private int kept(int p, long number) {
        return (ringAt(p) >> 1) + ((int) number & window(p) - 1);
    }

    private void sendData(int p, int at, int lane, long now) {
        int flit = ends.takeFlit(p, lane, now);
        if (--credits[2 * ((p << laneShift) + lane)] == 0) {
            block[at + CREDITED] &= ~(1L << lane);
        }
        int ticks = ticks(p, flit);
        counters.sent(p, flit, now);
        long word = (long) flit << 32 | (long) lane << LANE_SHIFT | (long) DATA << TYPE_SHIFT | takeOwed(p, at);
        sendNumbered(p, at, word, ticks, now);
    }

    private void sendCredit(int p, int at, long now) {
        sendNumbered(p, at, (long) CREDIT << TYPE_SHIFT | takeOwed(p, at), controlTicks(at), now);
    }

    /** Credits of the lane in turn, as fields of a header; 0 if none are owed. */
    private long takeOwed(int p, int at) {
        int lanesOwed = (int) block[at + OWED] & 0xffff;
        if (lanesOwed == 0) {
            return 0;
        }
        int due = (int) (block[at + OWED] >>> DUE_SHIFT);
        lanesOwed = due == 0 ? lanesOwed : due;
        int rotated = lanesOwed & -1 << (int) (block[at + NEXT] & 15);
        int lane = Integer.numberOfTrailingZeros(rotated == 0 ? lanesOwed : rotated);
        int index = 2 * ((p << laneShift) + lane) + 1;
        int count = Math.min(credits[index], FlitHeader.MOST_CREDITS);
        credits[index] -= count;
        held[index >> 1] -= count;
        if (credits[index] == 0) {
            block[at + OWED] &= ~(1L << lane);
        }
        if (credits[index] < batch(p)) {
            block[at + OWED] &= ~(DUE << lane);
        }
        return (long) lane << CREDIT_LANE_SHIFT | (long) count << CREDITS_SHIFT;
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
        boolean data = ((int) word >> TYPE_SHIFT & 3) == DATA;
        counters.resent(p);
        send(p, at, word, number, data ? ticks(p, (int) (word >>> 32)) : controlTicks(at), now);
    }

    private void send(int p, int at, long word, long number, int ticks, long now) {
        long fields = word;
        if ((block[at + FLAGS] & AGAIN) != 0) {
            fields |= GO_BACK;
        }
        block[at + FLAGS] &= ~(ANSWER | AGAIN);
        block[at + UNANSWERED] = 0;
        if (errors.next(p)) {
            fields |= DAMAGED;
        }
        long arrival = now + ticks + (block[at + TIMES] >>> 32);
        long arrived = block[at + ARRIVED];
        int entry = flight(p, arrived);
        flights[entry] = arrival;
        flights[entry + 1] = fields;
        flights[entry + 2] = number << 32 | block[at + EXPECTED] & 0xffff_ffffL;
        block[at + ARRIVED] = arrived + 1;
        block[at + FREE_AT] = now + ticks;
        if (arrived == block[at + ARRIVING]) {
            wheel.schedule(p, arrival);
        }
        if (block[at + OWED] >>> DUE_SHIFT != 0 || block[at + CURSOR] != block[at + NEXT] || ends.mayHaveMore(p)) {
            wheel.schedule(TRANSMIT * ports + p, now + ticks);
        }
        if (observer != null) {
            notice(observer, p, entry, now);
        }
    }

    private void notice(FlitObserver to, int p, int entry, long now) {
        int fields = (int) flights[entry + 1];
        FlitSent.Data data = new FlitSent.Data((int) (flights[entry + 1] >>> 32), fields >>> LANE_SHIFT);
        long numbers = flights[entry + 2];
        to.onTransmit(
                p,
                now,
                flights[entry],
                new FlitSent(
                        FlitType.of(fields >> TYPE_SHIFT & 3),
                        data,
                        new FlitSent.Numbers((int) (numbers >>> 32), (int) numbers, (fields & GO_BACK) != 0),
                        fields >> CREDIT_LANE_SHIFT & 15,
                        fields >> CREDITS_SHIFT & 15,
                        (fields & DAMAGED) != 0));
    }

    private int flight(int p, long index) {
        return ENTRY * (ringAt(p) + ((int) index & 2 * window(p) - 1));
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
        int fromAt = from << BLOCK_SHIFT;
        long arriving = block[fromAt + ARRIVING];
        int entry = flight(from, arriving);
        block[fromAt + ARRIVING] = arriving + 1;
        if (arriving + 1 != block[fromAt + ARRIVED]) {
            wheel.schedule(from, flights[flight(from, arriving + 1)]);
        }
        int p = peer(from);
        int at = p << BLOCK_SHIFT;
        long word = flights[entry + 1];
        long numbers = flights[entry + 2];
        if ((word & DAMAGED) != 0) {
            counters.damaged(p);
            askAgain(p, at, now);
            return;
        }
        onAcknowledgement(p, at, (int) numbers, (word & GO_BACK) != 0, now);
        int type = (int) word >> TYPE_SHIFT & 3;
        if (type == ACK) {
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
        onCredits(p, at, (int) word >> CREDIT_LANE_SHIFT & 15, (int) word >> CREDITS_SHIFT & 15, now);
        if (++block[at + UNANSWERED] >= window(p) >> 2) {
            block[at + FLAGS] |= ANSWER;
            offer(p, now);
        } else {
            wheel.schedule(TIMER * ports + p, now + (long) window(p) * flitTicks(at));
        }
        if (type == DATA) {
            int flit = (int) (word >>> 32);
            int lane = (int) word >>> LANE_SHIFT;
            counters.received(p, flit);
            hash = Digest.mix(hash ^ now, (long) flit << 32 | p);
            onPlaceUsed(p, lane);
            ends.onFlit(p, lane, flit, now);
        }
    }

    /**
     * Credits wait for others of their lane only while the sender has some left. A sender without any may be in the middle of a frame, and
     * what occupies the buffer may wait for the rest of that frame to pass.
     */
    private void onPlaceUsed(int p, int lane) {
        int line = (p << laneShift) + lane;
        if (++held[line] == bufferFlits && credits[2 * line + 1] > 0) {
            sendCreditsSoon(p, lane);
        }
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

    private void onCredits(int p, int at, int lane, int count, long now) {
        if (count == 0) {
            return;
        }
        credits[2 * ((p << laneShift) + lane)] += count;
        if ((block[at + CREDITED] >> lane & 1) == 0) {
            block[at + CREDITED] |= 1L << lane;
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
