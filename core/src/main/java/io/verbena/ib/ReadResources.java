package io.verbena.ib;

import io.verbena.base.Digest;

/**
 * The Reads and atomics that the peer asked for last, in the order of their PSNs: what a responder needs to answer them, and to
 * answer them again when the answer was lost. A Read is read from memory again; an atomic's result is kept, for it must never
 * be executed twice. A ring of as many as were agreed; the oldest makes way for the next.
 *
 * <pre>
 *   | kept for duplicates | to be answered |
 *   oldest ............... answer ......... next
 * </pre>
 */
final class ReadResources {

    /** Answer of {@link #find} where none fits. */
    static final long NONE = -1;

    private final int depth;
    private final boolean[] atomic;
    private final int[] firstPsn;
    private final int[] packets;
    private final long[] address;
    private final int[] key;
    private final int[] length;
    private final int[] msn;
    private long next;
    private long answer;
    private int answerPacket;

    /** Index behind the last one that was answered in full, once. */
    private long answered;

    /** The packet with which the answer began: 0, or where the peer asked again. */
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
    }

    /** Whether all of them wait for their first answer, so that the peer may not ask for another. */
    boolean full() {
        return next - answered >= depth;
    }

    private long oldest() {
        return Math.max(0, next - depth);
    }

    private int slot(long index) {
        return (int) (index % depth);
    }

    /** Where the next one will be. */
    long next() {
        return next;
    }

    /** Notes a Read. */
    void addRead(int psn, int count, long va, int rkey, int bytes, int afterMsn) {
        add(false, psn, count, va, rkey, bytes, afterMsn);
    }

    /** Notes an atomic that was executed; {@code original} goes back. */
    void addAtomic(int psn, long original, int afterMsn) {
        add(true, psn, 1, original, 0, 0, afterMsn);
    }

    private void add(boolean isAtomic, int psn, int count, long va, int rkey, int bytes, int afterMsn) {
        assert !full();
        int at = slot(next++);
        if (answer < oldest()) {
            // It was being answered again, for a duplicate from before: who asks for another has the answer.
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
    }

    /** The one whose PSNs hold this one, or {@link #NONE}. */
    long find(int psn) {
        for (long i = next - 1; i >= oldest(); i--) {
            int offset = Psn.distance(psn, firstPsn[slot(i)]);
            if (offset >= 0 && offset < packets[slot(i)]) {
                return i;
            }
        }
        return NONE;
    }

    /** Answers again from a packet of one of them on, and all behind it. */
    void answerAgain(long index, int packet) {
        if (index < answer || index == answer && packet < answerPacket) {
            answer = index;
            answerPacket = packet;
            startPacket = packet;
        }
    }

    /** Whether the packet that goes next is the first one of its answer, or of the part that was asked for again. */
    boolean startsHere() {
        return answerPacket == startPacket;
    }

    /** Nothing is answered any more. */
    void forget() {
        answer = next;
        answered = next;
        answerPacket = 0;
        startPacket = 0;
    }

    /** Whether one waits for its answer. */
    boolean pending() {
        return answer < next;
    }

    /** The one that is answered now. */
    long answer() {
        return answer;
    }

    /** The packet of it that goes next. */
    int answerPacket() {
        return answerPacket;
    }

    /** A packet of the answer has left. */
    void packetLeft() {
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

    /** PSNs of the request: as many as its answer has packets. */
    int packets(long index) {
        return packets[slot(index)];
    }

    /** Of a Read, its address; of an atomic, what it found. */
    long address(long index) {
        return address[slot(index)];
    }

    int key(long index) {
        return key[slot(index)];
    }

    int length(long index) {
        return length[slot(index)];
    }

    /** The message number to answer with. */
    int msn(long index) {
        return msn[slot(index)];
    }

    long stateDigest(long digest) {
        return Digest.mix(Digest.mix(Digest.mix(digest, next), answer), answerPacket);
    }
}
