package io.verbena.shm;

import io.verbena.base.RandomSource;
import io.verbena.port.ByteStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The exchange on the socket before the rings are used. The initiator creates the memory, writes a nonce to it and sends both
 * in an {@link Offer}. The acceptor opens the memory, compares the nonce, writes a nonce of its own to it and sends that in an
 * {@link Answer}; the initiator compares it with the memory. So each side has proof that the other one uses the same memory,
 * and an acceptor never writes to memory that its peer only named.
 */
final class SetUp {

    private final ByteStream socket;
    private final boolean initiator;
    private final SharedMemory provider;
    private final RandomSource random;
    private final ByteBuffer frame;
    private Optional<SharedMemory.Mapped> memory = Optional.empty();
    private int ringBytes;
    private boolean sending;
    private boolean complete;

    /** What this side wishes, and the peer: bits of {@link SharedLayout}. */
    private final long wishes;

    private long wishesThere;

    private SetUp(ByteStream socket, boolean initiator, SharedMemory provider, RandomSource random, long wishes) {
        this.socket = socket;
        this.initiator = initiator;
        this.provider = provider;
        this.random = random;
        this.wishes = wishes;
        frame = ByteBuffer.allocateDirect(Math.max(Offer.LENGTH, Answer.LENGTH));
    }

    /**
     * Begins as the initiator.
     *
     * @throws IOException with a sentence, if there is no memory to offer
     */
    static SetUp offer(ByteStream socket, SharedMemory provider, RandomSource random, int ringBytes, long wishes)
            throws IOException {
        SetUp setUp = new SetUp(socket, true, provider, random, wishes);
        setUp.ringBytes = ringBytes;
        SharedMemory.Mapped created = provider.create(SharedLayout.bytes(ringBytes));
        setUp.memory = Optional.of(created);
        ByteBuffer bytes = created.bytes();
        long high = random.nextLong();
        long low = random.nextLong();
        bytes.putLong(0, SharedLayout.MAGIC);
        bytes.putLong(SharedLayout.NONCE, high);
        bytes.putLong(SharedLayout.NONCE + Long.BYTES, low);
        bytes.putLong(SharedLayout.wishes(true), wishes);
        new Offer(setUp.frame).fill(high, low, created.process(), created.handle(), ringBytes);
        setUp.send(Offer.LENGTH);
        return setUp;
    }

    /** Begins as the acceptor. */
    static SetUp accept(ByteStream socket, SharedMemory provider, RandomSource random, long wishes) {
        SetUp setUp = new SetUp(socket, false, provider, random, wishes);
        setUp.receive(Offer.LENGTH);
        return setUp;
    }

    private void send(int bytes) {
        sending = true;
        frame.clear().limit(bytes);
    }

    private void receive(int bytes) {
        sending = false;
        frame.clear().limit(bytes);
    }

    /**
     * Bytes that were read from the socket before.
     *
     * @throws IOException if they are more than the frame that is expected
     */
    void received(ByteBuffer bytes) throws IOException {
        if (bytes.remaining() > frame.remaining()) {
            throw new IOException("the peer sent more than an offer of shared memory");
        }
        frame.put(bytes);
    }

    boolean initiator() {
        return initiator;
    }

    /** Whether {@link #advance} waits until the socket accepts bytes. */
    boolean sending() {
        return sending;
    }

    int ringBytes() {
        return ringBytes;
    }

    /** Whether both sides wish to access memory of each other directly. */
    boolean direct() {
        return (wishes & wishesThere & SharedLayout.DIRECT) != 0;
    }

    /** The memory; the caller owns it after {@link #advance} has returned true. */
    SharedMemory.Mapped memory() {
        return memory.orElseThrow();
    }

    /**
     * Sends and receives what the socket allows. Returns whether the exchange is complete.
     *
     * @throws MemoryNotOpened with a sentence, if the acceptor cannot open the memory, or it is not the one that is named
     * @throws IOException with a sentence, if the peer offers no memory
     */
    boolean advance() throws IOException {
        while (!complete) {
            if (frame.hasRemaining() && transfer() == ByteStream.END) {
                throw new EOFException(ended());
            }
            if (!sending && frame.position() >= Long.BYTES) {
                checkKind();
            }
            if (frame.hasRemaining()) {
                return false;
            }
            if (initiator && sending) {
                receive(Answer.LENGTH);
            } else if (initiator) {
                checkAnswer();
                complete = true;
            } else if (sending) {
                complete = true;
            } else {
                openOffered();
            }
        }
        return true;
    }

    private int transfer() throws IOException {
        try {
            return sending ? socket.write(frame) : socket.read(frame);
        } catch (IOException e) {
            throw new IOException(ended() + " (" + e.getMessage() + ")", e);
        }
    }

    private String ended() {
        return initiator
                ? "the listener ended the connection before it accepted shared memory; its RNIC must be opened with the"
                        + " provider shm or auto"
                : "the peer ended the connection before it offered shared memory";
    }

    /** Rejects a peer of another kind at its first bytes. */
    private void checkKind() throws IOException {
        if (!(initiator ? new Answer(frame).valid() : new Offer(frame).valid())) {
            throw new IOException((initiator ? "the listener does not accept" : "the peer does not offer")
                    + " shared memory; its RNIC must be opened with the provider shm or auto");
        }
    }

    private void openOffered() throws IOException {
        Offer offer = new Offer(frame);
        if (!SharedLayout.valid(offer.ringBytes())) {
            throw new IOException(
                    "the peer offers rings of " + offer.ringBytes() + " bytes, which is no permitted size");
        }
        ringBytes = offer.ringBytes();
        long high = offer.nonceHigh();
        long low = offer.nonceLow();
        try {
            SharedMemory.Mapped opened =
                    provider.open(offer.process(), offer.handle(), SharedLayout.bytes(offer.ringBytes()));
            memory = Optional.of(opened);
            if (!holds(opened.bytes(), SharedLayout.NONCE, high, low)
                    || opened.bytes().getLong(0) != SharedLayout.MAGIC) {
                throw new IOException("the memory that the peer offers is not its own");
            }
        } catch (IOException e) {
            // One frame fits any socket; if not, the peer sees the end of the connection instead.
            new Answer(frame).fill(0, 0, Answer.NOT_OPENED);
            socket.write(frame.clear().limit(Answer.LENGTH));
            throw new MemoryNotOpened(String.valueOf(e.getMessage()));
        }
        long ownHigh = random.nextLong();
        long ownLow = random.nextLong();
        ByteBuffer bytes = memory().bytes();
        bytes.putLong(SharedLayout.ANSWER, ownHigh);
        bytes.putLong(SharedLayout.ANSWER + Long.BYTES, ownLow);
        bytes.putLong(SharedLayout.wishes(false), wishes);
        wishesThere = bytes.getLong(SharedLayout.wishes(true));
        new Answer(frame).fill(ownHigh, ownLow, Answer.OPENED);
        send(Answer.LENGTH);
    }

    private void checkAnswer() throws IOException {
        Answer answer = new Answer(frame);
        if (answer.outcome() != Answer.OPENED) {
            throw new MemoryNotOpened(
                    "the listener cannot open the memory of this process: both must belong to the same user"
                            + " and the same namespace of processes");
        }
        if (!holds(memory().bytes(), SharedLayout.ANSWER, answer.nonceHigh(), answer.nonceLow())) {
            throw new IOException("the listener has not opened the memory that was offered to it");
        }
        wishesThere = memory().bytes().getLong(SharedLayout.wishes(false));
        memory().shared();
    }

    private static boolean holds(ByteBuffer bytes, int at, long high, long low) {
        return bytes.getLong(at) == high && bytes.getLong(at + Long.BYTES) == low;
    }

    /** Gives the memory up. */
    void abandon() {
        memory.ifPresent(SharedMemory.Mapped::close);
        memory = Optional.empty();
    }
}
