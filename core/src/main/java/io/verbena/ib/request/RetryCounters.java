package io.verbena.ib.request;

import io.verbena.base.Digest;
import io.verbena.ib.endpoint.MigratingPath;
import io.verbena.ib.settings.RcSettings;
import io.verbena.ib.settings.ReliableSettings;

/**
 * What a reliable connection, or an end-to-end context, may still try before it declares its peer lost. Three things are counted, each by
 * itself:
 *
 * <ul>
 *   <li><em>Silence</em>: time-outs in succession without any answer. Every answer of the peer restores this count, because a peer that
 *       answers lives, however slow it is.
 *   <li><em>Repetitions</em> of one packet. Progress restores this count, and so does "receiver not ready", because the packet has arrived.
 *       A packet that the path never delivers ends the connection by this count, although the peer lives.
 *   <li><em>Not ready</em>: answers "receiver not ready". Progress restores this count; nothing else takes from it.
 * </ul>
 *
 * With patience, a silent peer is repeated to for that time at least, however many time-outs there are, unless its system reports that no
 * process has its port any more.
 *
 * <p>A gap is repeated only once at each PSN, since everything that followed it reports it as well; the timer repeats it again.
 */
public final class RetryCounters {

    /** Repetitions of one packet to a peer that answers, per permitted repetition to a silent one. */
    public static final int REPETITIONS_PER_RETRY = 8;

    private static final int NOT_RESTARTED = -1;

    private final ReliableSettings settings;
    private int silenceLeft;
    private int repetitionsLeft;
    private int notReadyLeft;
    private int restartedPsn = NOT_RESTARTED;
    private long timeouts;

    /** Whether there were time-outs since the last answer. */
    private boolean silence;

    /** When the first of them was counted. */
    private long silentSinceNs;

    /** Whether the system of the peer has reported that the port is gone, and the peer has not answered since. */
    private boolean portGone;

    public RetryCounters(ReliableSettings settings) {
        this.settings = settings;
        restore();
    }

    /** Progress was made. */
    public void restore() {
        arrived();
        notReadyLeft = settings.receiverNotReadyRetries();
        restartedPsn = NOT_RESTARTED;
    }

    /** The peer has answered something. */
    public void onAckReceived() {
        silenceLeft = settings.retries();
        silence = false;
        portGone = false;
    }

    /** The system of the peer reports that no process has its port. */
    public void portGone() {
        portGone = true;
    }

    /** The peer has received the oldest packet, and was not ready for it. */
    public void arrived() {
        onAckReceived();
        repetitionsLeft = REPETITIONS_PER_RETRY * settings.retries();
    }

    /** Takes one retry of a request for which the peer had no receive; returns false if none is left. */
    public boolean takeNotReady() {
        return settings.receiverNotReadyRetries() == RcSettings.UNLIMITED || notReadyLeft-- != 0;
    }

    /** Notes that everything from a PSN on is sent again; returns false if that was done already, without progress since. */
    public boolean restart(int psn) {
        boolean first = restartedPsn != psn;
        restartedPsn = psn;
        return first;
    }

    /**
     * Takes one retry after a time-out. When none is left, another path gets as many; returns false without one.
     */
    public boolean takeSilence(MigratingPath path, long nowNs) {
        if (!silence) {
            silence = true;
            silentSinceNs = nowNs;
        }
        timeouts++;
        if (silenceLeft == 0 && !portGone && nowNs - silentSinceNs < settings.patienceNs()) {
            return true;
        }
        silenceLeft--;
        return takeRepetition(path);
    }

    /** The same for a packet that the peer reports as missing. */
    public boolean takeRepetition(MigratingPath path) {
        repetitionsLeft--;
        if (exhausted() && path.migrate()) {
            arrived();
        }
        return !exhausted();
    }

    private boolean exhausted() {
        return silenceLeft < 0 || repetitionsLeft < 0;
    }

    /** How often nothing was answered in time. Any thread. */
    long timeouts() {
        return timeouts;
    }

    /** Whether the peer was silent, if no retry is left; otherwise it answered, and the packet did not arrive. */
    boolean silent() {
        return silenceLeft < 0;
    }

    public long stateDigest(long digest, int oldestPsn) {
        long d = Digest.mix(digest, (long) oldestPsn << 32 | restartedPsn & 0xffff_ffffL);
        d = Digest.mix(d, portGone ? 1 : settings.patienceNs() > 0 ? silentSinceNs : 0);
        return Digest.mix(
                d,
                (long) repetitionsLeft << 32 | (long) silenceLeft << 16 | (long) notReadyLeft << 1 | (silence ? 1 : 0));
    }
}
