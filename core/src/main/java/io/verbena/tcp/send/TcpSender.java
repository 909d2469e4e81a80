package io.verbena.tcp.send;

import io.verbena.base.Times;
import io.verbena.tcp.segment.BufferPool;
import io.verbena.tcp.segment.Ecn;
import io.verbena.tcp.state.TcpSettings;
import io.verbena.wire.ip.TcpOptionReader;

/**
 * The sending half of a connection: decides what to send and when, and what is lost.
 *
 * <p><b>What to send</b> ({@link #plan}), the first that applies:
 *
 * <ol>
 *   <li>a segment that is regarded as lost, the first one first, if the congestion window permits it;
 *   <li>new data, if both windows permit it: whole units where possible (see {@link SendBuffer});
 *   <li>the FIN after the last byte;
 *   <li>a probe: of the tail (RFC 8985), or of a closed window.
 * </ol>
 *
 * <p><b>What is lost</b> is decided by time with SACK ({@link Rack}), and by three duplicate acknowledgments without (RFC 6582).
 * {@link SentSegments} records it and counts what is in the network; {@link Recovery} turns that into the congestion window. A
 * duplicate acknowledgment without SACK counts as one segment that left the network, so that both kinds of peers share the rest.
 *
 * <p><b>Timers.</b> The retransmission timer runs while anything is unacknowledged. A tail loss probe is sent earlier, because a lost
 * last segment has no successor whose delivery could show the loss. While nothing is in the network and the window of the peer is too
 * small, the window is probed, with growing intervals and as long as the peer acknowledges the probes.
 *
 * <p>Over 500 lines: it joins loss detection, recovery and congestion control, which are classes of their own, and orders what they say.
 */
public final class TcpSender {

    private final TcpSettings settings;
    private final long iss;
    private final SentSegments sent = new SentSegments();
    private final SendTimers timers = new SendTimers();
    private final SendWindow window = new SendWindow();
    private final RttEstimator rtt;
    private final Rack rack = new Rack();
    private final CongestionControl congestion;
    private final Recovery recovery;
    private final SlowStart slowStart = new SlowStart();
    private final SendBuffer buffer;
    private int segmentBytes;
    private boolean sack;
    private long una;
    private long nxt;
    private boolean finQueued;

    /** Whether the congestion window, and nothing else, ended the last transmission. */
    private boolean windowLimited;

    private long lastSentNs;
    private final TailProbe tail = new TailProbe();
    private final DuplicateAcks duplicates = new DuplicateAcks();
    private boolean probeDue;
    private boolean overrideDue;
    private final BlackHole blackHole = new BlackHole();
    private final PeerProgress progress = new PeerProgress();
    private final PlannedSegment planned = new PlannedSegment();
    // The acknowledgment under way.
    private final Delivered delivered;
    private final SelectiveAcks selective;
    private final SpuriousTimeout spurious = new SpuriousTimeout();
    private final UnneededRepetitions unneeded = new UnneededRepetitions();
    private final Ecn ecn;
    private long ackNs;

    public TcpSender(TcpSettings settings, BufferPool memory, long iss, int segmentBytes, Ecn ecn) {
        this.ecn = ecn;
        this.settings = settings;
        this.iss = iss;
        this.una = iss;
        this.nxt = iss;
        this.segmentBytes = segmentBytes;
        this.rtt = new RttEstimator(settings.timers().leastTimeoutNs());
        this.delivered = new Delivered(iss, rack, rtt, unneeded);
        this.selective = new SelectiveAcks(iss, sent, rack, delivered, unneeded);
        this.congestion = CongestionControl.of(settings.congestion(), segmentBytes);
        this.recovery = new Recovery(congestion, unneeded, iss);
        this.buffer = new SendBuffer(memory, iss + 1);
    }

    public SendBuffer buffer() {
        return buffer;
    }

    public SendWindow window() {
        return window;
    }

    public RttEstimator rtt() {
        return rtt;
    }

    /** SND.UNA. */
    public long una() {
        return una;
    }

    /** SND.NXT. */
    public long nxt() {
        return nxt;
    }

    public int segmentBytes() {
        return segmentBytes;
    }

    SlowStart slowStart() {
        return slowStart;
    }

    public long congestionWindow() {
        return congestion.windowBytes();
    }

    public long pipe() {
        return Math.max(0, sent.pipe() - duplicates.bytes(segmentBytes));
    }

    public boolean synAcknowledged() {
        return una > iss;
    }

    public boolean finAcknowledged() {
        return finQueued && una > buffer.end();
    }

    /** The handshake is complete. */
    public void established(int agreedBytes, boolean withSack) {
        sack = withSack;
        if (delivered.synRepeated()) {
            rtt.lostSyn();
        }
        segmentBytes(agreedBytes);
        // RFC 5681 section 3.1: a lost SYN reduces the initial window to one segment.
        congestion.window(delivered.synRepeated() ? segmentBytes : CongestionControl.initialWindow(segmentBytes));
    }

    /** The path or the peer permits another segment size. */
    public void segmentBytes(int bytes) {
        boolean smaller = bytes < segmentBytes;
        segmentBytes = bytes;
        congestion.segmentBytes(bytes);
        if (smaller && synAcknowledged()) {
            sent.cut(buffer, bytes);
        }
    }

    /** The SYN was sent before this sender existed, so its time is not known. */
    public void synSentBefore() {
        nxt = iss + 1;
    }

    /** No bytes follow those that were written. */
    public void finish() {
        finQueued = true;
    }

    /** The owner has left: the peer must make progress from now on. */
    public void ownerless(long nowNs) {
        progress.ownerless(nowNs);
    }

    // What to send.

    /** Decides what to send now. {@link #onSent} must follow unless the result is NOTHING. */
    public SendPlan plan(long nowNs) {
        int waiting = sent.nextWaiting();
        if (waiting != SentSegments.NONE && !spurious.testing() && mayRepeat(waiting)) {
            return planRepetition(waiting);
        }
        if (nxt == iss) {
            planned.fresh(iss, iss + 1);
            return SendPlan.SYN;
        }
        if (!synAcknowledged()) {
            return SendPlan.NOTHING;
        }
        if (spurious.permitsNew() && planNew(nowNs)) {
            tail.done();
            return dataOrFin();
        }
        if (tail.due() && sent.count() > 0) {
            int last = sent.lastOutstanding(window.limit());
            tail.repeats();
            if (last != SentSegments.NONE) {
                return planRepetition(last);
            }
        }
        return probeDue ? SendPlan.PROBE : SendPlan.NOTHING;
    }

    private SendPlan planRepetition(int record) {
        planned.repeated(sent, record);
        return planned.from() == iss ? SendPlan.SYN : dataOrFin();
    }

    private SendPlan dataOrFin() {
        return planned.from() == buffer.end() ? SendPlan.FIN : SendPlan.DATA;
    }

    /** Plans new data after the segment that was sent last, if it may be sent now and has at most this size. */
    boolean planFollowing(int mostBytes, long nowNs) {
        boolean follows = planned.to() == nxt && nxt < buffer.end() && !sent.anyWaiting() && !tail.due() && !probeDue;
        return follows && planNew(nowNs) && plannedDataEnd() - planned.from() <= mostBytes;
    }

    /** The sequence number after the data of the planned segment; the FIN may follow. */
    public long plannedDataEnd() {
        return Math.min(planned.to(), buffer.end());
    }

    private boolean mayRepeat(int record) {
        long first = sent.from(record);
        // What the peer cannot accept any more is not repeated, except the first segment, which also probes the window.
        if (first >= window.limit() && first > una) {
            return false;
        }
        long length = sent.to(record) - first;
        return pipe() == 0 || pipe() + length <= congestion.windowBytes();
    }

    private boolean planNew(long nowNs) {
        if (nxt >= buffer.end()) {
            planned.fresh(nxt, nxt + 1);
            windowLimited = false;
            return finQueued && nxt == buffer.end();
        }
        restartAfterIdle(nowNs);
        long usable = window.limit() - nxt;
        long length = buffer.segmentEnd(nxt, segmentBytes) - nxt;
        if (length > usable) {
            // RFC 9293 section 3.8.6.2.1 [1]: no small segments because of a small window, unless the window is always
            // small or nothing else could move.
            if (usable <= 0 || usable < window.largest() / 2 && !overrideDue) {
                return waitForWindow(nowNs);
            }
            length = usable;
        }
        boolean fin = finQueued && nxt + length == buffer.end() && length < usable;
        planned.fresh(nxt, nxt + length + (fin ? 1 : 0));
        timers.windowOpen();
        if (pipe() > 0 && pipe() + length > congestion.windowBytes() && !tail.due()) {
            windowLimited = true;
            return false;
        }
        return true;
    }

    private boolean waitForWindow(long nowNs) {
        windowLimited = false;
        if (sent.count() == 0) {
            if (!timers.windowProbed()) {
                progress.advanced(
                        nowNs); // the window may have been closed for a long time in which nothing was to be sent
            }
            timers.watchWindow(rtt, nowNs);
        }
        return false;
    }

    /** RFC 5681 section 4.1: after an idle time the window starts again. */
    private void restartAfterIdle(long nowNs) {
        if (sent.count() == 0 && nxt > iss + 1 && nowNs - lastSentNs > rtt.timeoutNs()) {
            congestion.window(Math.min(congestion.windowBytes(), CongestionControl.initialWindow(segmentBytes)));
            lastSentNs = nowNs;
        }
    }

    /** The segment that {@link #plan} has decided to send. */
    public PlannedSegment planned() {
        return planned;
    }

    /** The planned segment was sent. */
    public void onSent(SendPlan plan, long nowNs) {
        lastSentNs = nowNs;
        if (plan == SendPlan.PROBE) {
            probeDue = false;
            if (sent.count() == 0 && nxt < buffer.end()) {
                timers.watchWindow(rtt, nowNs);
            }
            return;
        }
        if (planned.isNew()) {
            if (sent.count() == 0) {
                progress.advanced(nowNs);
            }
            sent.add(planned.from(), planned.to(), nowNs);
            if (planned.to() > buffer.end() && planned.length() > 1) {
                sent.lastHasFin();
            }
            nxt = planned.to();
            overrideDue = false;
            spurious.onNewSent();
        } else {
            sent.onRepeated(planned.record(), nowNs);
            unneeded.onRepeated(planned.from(), planned.to(), nxt);
        }
        recovery.onSent(planned.length());
        if (!timers.timeoutSet()) {
            timers.timeout(Times.after(nowNs, rtt.timeoutNs()));
        }
        setTail(nowNs);
    }

    private void setTail(long nowNs) {
        boolean useful = sack && synAcknowledged() && recovery.open() && sent.count() > 0 && !tail.out();
        useful &= !sent.anyWaiting();
        timers.tail(useful ? TailProbe.deadlineNs(rtt, sent.count(), nowNs) : Times.NEVER);
    }

    // Acknowledgments.

    /**
     * An acceptable acknowledgment has arrived. One that another has overtaken acknowledges nothing, but its blocks still state what the peer has
     * (RFC 6675 section 4).
     *
     * @param sequence of the segment, for the window
     * @param offered the window, scaled
     * @param pure whether the segment has neither data nor a FIN
     */
    public void onAck(long ack, long sequence, long offered, TcpOptionReader options, boolean pure, long nowNs) {
        ackNs = nowNs;
        delivered.begin(nowNs);
        selective.begin();
        long before = una;
        int countBefore = sent.count();
        boolean late = ack < una;
        boolean windowChanged = !late && window.update(sequence, ack, offered);
        if (ack > una) {
            advance(ack);
        }
        if (sack) {
            selective.select(options, ack, una, nxt, before - window.largest());
        } else if (ack == before && pure && !windowChanged) {
            if (duplicates.add(sent.count())) {
                delivered.onDuplicate(segmentBytes);
            }
        } else if (ack > before) {
            duplicates.onAdvance(countBefore - sent.count(), !recovery.open());
        }
        blackHole.onAcknowledgment(ack > before, late);
        if (late && delivered.bytes() == 0 && !selective.duplicateReported()) {
            return;
        }
        if (ack > before || delivered.bytes() > 0) {
            progress.advanced(nowNs);
        } else if (nxt >= window.limit()) {
            progress.answered(nowNs);
        }
        delivered.measure();
        boolean more = nxt < buffer.end() && nxt < window.limit();
        if ((!late || delivered.original()) && spurious.onAck(ack > before, una, delivered.original(), more)) {
            sent.findAgain();
            rack.forget();
            recovery.undoTimeout(nxt - una, delivered.bytes(), spurious, segmentBytes);
            windowLimited = false; // the window that returns counts this acknowledgment already
        }
        recover(ack > before);
        restartTimers(ack > before);
    }

    private void advance(long ack) {
        sent.acknowledge(ack, delivered);
        buffer.release(ack);
        una = ack;
        rtt.restore();
        unneeded.onAcknowledged(ack, nxt);
    }

    private void recover(boolean advanced) {
        boolean lossBefore = sent.anyWaiting();
        long flight = nxt - una;
        boolean afterTimeout = recovery.afterTimeout();
        boolean recovered = recovery.onAcknowledged(una);
        if (recovered) {
            rack.onRecovered();
            duplicates.clear();
        }
        if (tail.repairedLoss(una, selective.duplicateReported()) && recovery.open()) {
            congestion.onLoss(flight, ackNs);
            congestion.window(congestion.thresholdBytes());
        }
        if (sack) {
            timers.reordering(rack.detect(sent, !recovery.open(), segmentBytes, rtt, ackNs));
        } else if (recovery.fast() ? advanced : duplicates.showLoss() && una > recovery.point() && recovery.open()) {
            // RFC 6582 section 3.2: three duplicates, or a partial acknowledgment.
            sent.lose(0);
        }
        recovery.undoUnneeded(sent.anyWaiting());
        if (sent.anyWaiting() && recovery.open()) {
            recovery.enterFast(nxt, flight, ackNs);
            ecn.onReduced(nxt);
        }
        if (recovery.fast()) {
            recovery.reduce(delivered.bytes(), pipe(), sent.anyWaiting() && !lossBefore, segmentBytes);
        } else if (delivered.bytes() > 0 && advanced && (afterTimeout || windowLimited && !recovered)) {
            // Several acknowledgments may arrive before the next transmission: each of them counts.
            long growth = slowStart.growth(delivered.bytes(), segmentBytes, afterTimeout);
            congestion.onAcknowledged(delivered.bytes(), growth, rtt.smoothedNs(), ackNs);
        }
    }

    private void restartTimers(boolean advanced) {
        if (sent.count() == 0) {
            timers.allAcknowledged();
        } else if (advanced) {
            // RFC 6298 section 5.3.
            timers.timeout(Times.after(ackNs, rtt.timeoutNs()));
            setTail(ackNs);
        }
    }

    /** The peer reports that a router has marked a packet: the reaction is that to a loss, without a repetition. */
    public void onCongestion(long nowNs) {
        if (recovery.open()) {
            congestion.onLoss(nxt - una, nowNs);
            congestion.window(congestion.thresholdBytes());
        }
        windowLimited = false; // RFC 3168 section 6.1.2: such an acknowledgment does not increase the window
        ecn.onReduced(nxt);
    }

    // Time.

    public long nextDeadlineNs() {
        return timers.nextNs();
    }

    /** Whether the peer has not acknowledged anything for too long. */
    public boolean givenUp(long nowNs) {
        TcpSettings.Timers bounds = settings.timers();
        long boundNs = synAcknowledged() ? bounds.giveUpNs() : bounds.giveUpSynNs();
        return (sent.count() > 0 || timers.windowProbed()) && progress.lacksFor(boundNs, nowNs);
    }

    public void onDeadline(long nowNs) {
        progress.late(timers.lateNs(nowNs));
        if (timers.reorderingDue(nowNs)) {
            ackNs = nowNs;
            delivered.begin(nowNs);
            recover(false);
        }
        if (timers.takeTail(nowNs)) {
            tail.start(nxt);
            timers.timeout(Times.after(nowNs, rtt.timeoutNs()));
        }
        if (timers.timeoutDue(nowNs)) {
            onTimeout(nowNs);
        }
        if (timers.takeWindow(nowNs)) {
            // A window that is open but small is used; a closed one is probed.
            if (window.limit() > nxt) {
                overrideDue = true;
            } else {
                probeDue = true;
            }
        }
    }

    private void onTimeout(long nowNs) {
        boolean again = sent.count() > 0 && sent.sentAgain(0);
        if (sack && recovery.open() && !again && una > iss) {
            spurious.begin(nxt, Math.max(congestion.thresholdBytes(), nxt - una));
            delivered.watch(nxt);
        } else {
            spurious.stop();
        }
        probeDue |= blackHole.onTimeout(again, again ? sent.to(0) - sent.from(0) : 0, delivered.longest());
        recovery.enterLoss(nxt, nxt - una, again, nowNs);
        ecn.onReduced(nxt);
        sent.loseAll();
        duplicates.clear();
        tail.cancel();
        rtt.backOff();
        timers.reordering(Times.NEVER);
        timers.tail(Times.NEVER);
        timers.timeout(Times.after(nowNs, rtt.timeoutNs()));
    }

    /** Whether segments are too long for the path (RFC 9293 section 3.7.2 [note]). */
    public boolean tooLong() {
        return blackHole.found();
    }

    /** Number of timeouts in a row without an acknowledgment of new data. */
    public int timeouts() {
        return rtt.timeouts();
    }

    /** Sends an empty segment that the peer answers, for a keep-alive. */
    public void probe() {
        probeDue = true;
    }

    /** The peer is heard again after probes: what it lacks is sent now. Timeouts alone would wait for as long as the path was down. */
    public void pathIsBack(long nowNs) {
        timers.endBackOff(rtt, nowNs);
    }

    /** Nothing will be sent any more. */
    public void stop() {
        timers.clear();
        sent.clear();
        buffer.discard();
        probeDue = false;
    }
}
