package io.verbena.ib.respond;

import io.verbena.base.Digest;
import io.verbena.ib.packet.Psn;

/**
 * The most recent Reads and atomics of the peer, in the order of their PSNs. The responder answers them, and answers
 * them again if an answer was lost. A Read is read from memory again. The result of an atomic is kept, because an
 * atomic must not be executed twice. The ring has the negotiated number of entries; a new entry replaces the oldest.
 *
 * <pre>
 *   | kept for duplicates | to be answered |
 *   oldest ............... answer ......... next
 * </pre>
 */
final class ReadResources {

    /** The result of {@link #find} if no entry matches. */
    static final long NONE = -1;

    private final int depth;
    private final boolean[] atomic;
    private final int[] firstPsn;
    private final int[] packets;
    private final long[] address;
    private final int[] key;
    private final int[] length;
    private final int[] msn;
    private final long[] message;
    private final int[] entropy;
    private long next;
    private long answer;
    private int answerPacket;

    /** Index after the last entry that has been answered completely at least once. */
    private long answered;

    // Parts to be answered again, as a ring.
    private static final int PARTS = 64;

    private final long[] partOf = new long[PARTS];
    private final int[] partPacket = new int[PARTS];
    private final int[] partEnd = new int[PARTS];
    private final int[] partEntropy = new int[PARTS];
    private int firstPart;
    private int parts;
    private boolean partStarts = true;

    /** The first packet of the current answer: 0, or the packet from which the peer repeated its request. */
    private int startPacket;

    ReadResources(int depth) {
        this.depth = depth;
        atomic = new boolean[depth];
        firstPsn = new int[depth];
        packets = new int[depth];
        address = new long[depth];
        key = new int[depth];
        length = new int[depth];
        msn = new int[depth];
        message = new long[depth];
        entropy = new int[depth];
    }

    /** Whether all entries wait for their first answer. The peer must not send another request then. */
    boolean full() {
        return next - answered >= depth;
    }

    private long oldest() {
        return Math.max(0, next - depth);
    }

    private int slot(long index) {
        return (int) (index % depth);
    }

    /** Index of the next entry. */
    long next() {
        return next;
    }

    /**
     * The number of the message of the next Read. A requester may send one Read as several requests, each from where the
     * preceding one ended: they are one message for a one-shot key.
     */
    long messageOf(int rkey, long va) {
        if (next == 0) {
            return next;
        }
        int last = slot(next - 1);
        boolean continues = !atomic[last]
                && key[last] == rkey
                && length[last] != 0
                && address[last] + Integer.toUnsignedLong(length[last]) == va;
        return continues ? message[last] : next;
    }

    /** Adds a Read. */
    void addRead(int psn, int count, long va, int rkey, int bytes, int afterMsn) {
        add(false, psn, count, va, rkey, bytes, afterMsn);
    }

    /** Adds an atomic that was executed. {@code original} is its result. */
    void addAtomic(int psn, long original, int afterMsn) {
        add(true, psn, 1, original, 0, 0, afterMsn);
    }

    private void add(boolean isAtomic, int psn, int count, long va, int rkey, int bytes, int afterMsn) {
        assert !full();
        long number = isAtomic ? next : messageOf(rkey, va);
        int at = slot(next++);
        if (answer < oldest()) {
            // The replaced entry was being answered again for an old duplicate. A peer that sends a new request has
            // that answer.
            answer = oldest();
            answerPacket = 0;
            startPacket = 0;
        }
        atomic[at] = isAtomic;
        firstPsn[at] = psn;
        packets[at] = count;
        address[at] = va;
        key[at] = rkey;
        length[at] = bytes;
        msn[at] = afterMsn;
        message[at] = number;
    }

    /** The newest entry is answered on this path. */
    void path(int number) {
        entropy[slot(next - 1)] = number;
    }

    /** The path of the packet that is sent next. */
    int path() {
        return inPart() ? partEntropy[firstPart] : entropy[slot(answer)];
    }

    /** Index of the entry that includes this PSN, or {@link #NONE}. */
    long find(int psn) {
        for (long i = next - 1; i >= oldest(); i--) {
            int offset = Psn.distance(psn, firstPsn[slot(i)]);
            if (offset >= 0 && offset < packets[slot(i)]) {
                return i;
            }
        }
        return NONE;
    }

    /** Repeats the answers from a packet of an entry on, including all later entries. */
    void answerAgain(long index, int packet) {
        if (index < answer || index == answer && packet < answerPacket) {
            answer = index;
            answerPacket = packet;
            startPacket = packet;
        }
    }

    /**
     * Answers a part of an entry again, before all other answers. A part without an answer so far is answered in its
     * turn. If too many parts are pending, everything from there on is answered again.
     *
     * <p>A peer that hears nothing repeats its request again and again. What is pending is not added a second time: a
     * responder that is slow would owe several times as much as was requested, and would become slower still.
     */
    void answerPart(long index, int packet, int count, int path) {
        int end = Math.min(packet + count, index == answer ? answerPacket : packets(index));
        if (index > answer || packet >= end) {
            return;
        }
        for (int i = 0; i < parts; i++) {
            int at = (firstPart + i) % PARTS;
            if (partOf[at] == index && packet >= partPacket[at] && packet <= partEnd[at]) {
                partEnd[at] = Math.max(partEnd[at], end);
                return;
            }
            if (partOf[at] == index && end > partPacket[at] && end <= partEnd[at]) {
                end = partPacket[at];
            }
        }
        if (parts == PARTS) {
            answerAgain(index, packet);
            return;
        }
        int at = (firstPart + parts++) % PARTS;
        partOf[at] = index;
        partPacket[at] = packet;
        partEnd[at] = end;
        partEntropy[at] = path;
    }

    private boolean inPart() {
        while (parts > 0 && partOf[firstPart] < oldest()) {
            // The entry was replaced: a peer that sends a new request has its answer.
            endPart();
        }
        return parts > 0;
    }

    private void endPart() {
        firstPart = (firstPart + 1) % PARTS;
        parts--;
        partStarts = true;
    }

    /** Whether the next packet is the first one of its answer or of a repeated part. */
    boolean startsHere() {
        return inPart() ? partStarts : answerPacket == startPacket;
    }

    /** Whether the next packet is the last one of its answer or of a repeated part. */
    boolean endsHere() {
        return inPart() ? partPacket[firstPart] + 1 == partEnd[firstPart] : answerPacket == packets(answer) - 1;
    }

    /** Discards all pending answers. */
    void forget() {
        parts = 0;
        partStarts = true;
        answer = next;
        answered = next;
        answerPacket = 0;
        startPacket = 0;
    }

    /** Whether an answer is pending. */
    boolean pending() {
        return inPart() || answer < next;
    }

    /** Index of the entry that is being answered. */
    long answer() {
        return inPart() ? partOf[firstPart] : answer;
    }

    /** The next packet of that answer. */
    int answerPacket() {
        return inPart() ? partPacket[firstPart] : answerPacket;
    }

    /** Records that a packet of the answer was sent. */
    void packetLeft() {
        if (inPart()) {
            partStarts = false;
            if (++partPacket[firstPart] == partEnd[firstPart]) {
                endPart();
            }
            return;
        }
        answerPacket++;
        if (answerPacket >= packets[slot(answer)]) {
            answer++;
            answered = Math.max(answered, answer);
            answerPacket = 0;
            startPacket = 0;
        }
    }

    boolean atomic(long index) {
        return atomic[slot(index)];
    }

    int firstPsn(long index) {
        return firstPsn[slot(index)];
    }

    /** Number of PSNs of the request, which is the number of packets of its answer. */
    int packets(long index) {
        return packets[slot(index)];
    }

    /** The address of a Read, or the result of an atomic. */
    long address(long index) {
        return address[slot(index)];
    }

    /** The number of the message to which the entry belongs, for one-shot keys. */
    long message(long index) {
        return message[slot(index)];
    }

    int key(long index) {
        return key[slot(index)];
    }

    int length(long index) {
        return length[slot(index)];
    }

    /** The message number in the answer. */
    int msn(long index) {
        return msn[slot(index)];
    }

    long stateDigest(long digest) {
        long d = Digest.mix(Digest.mix(Digest.mix(digest, next), answer), (long) parts << 32 | answerPacket);
        d = Digest.mix(Digest.mix(d, answered), (long) startPacket << 1 | (partStarts ? 1 : 0));
        for (int i = 0; i < Math.min(next, depth); i++) {
            d = Digest.mix(Digest.mix(d, (long) firstPsn[i] << 32 | packets[i]), address[i]);
            d = Digest.mix(Digest.mix(d, (long) key[i] << 32 | length[i]), (long) msn[i] << 32 | entropy[i]);
            d = Digest.mix(d, message[i] << 1 | (atomic[i] ? 1 : 0));
        }
        for (int i = 0; i < parts; i++) {
            int at = (firstPart + i) % PARTS;
            d = Digest.mix(Digest.mix(d, partOf[at]), (long) partPacket[at] << 32 | partEnd[at]);
            d = Digest.mix(d, partEntropy[at]);
        }
        return d;
    }
}
