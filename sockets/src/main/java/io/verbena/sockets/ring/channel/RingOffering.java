package io.verbena.sockets.ring.channel;

import io.verbena.sockets.ring.RingEnd;
import io.verbena.sockets.ring.RingLayout;
import io.verbena.verbs.HostMemory;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** The client's side of the set-up: offers memory, and waits for the answer. Its owner watches the connection, and calls {@link #advance}. */
public final class RingOffering implements AutoCloseable {

    private final SocketChannel tcp;
    private final HostMemory.Mapping memory;
    private final int ringBytes;
    private final ByteBuffer answer = ByteBuffer.allocate(RingFrame.ANSWER_BYTES);
    private boolean refused;
    private boolean given;

    private RingOffering(SocketChannel tcp, HostMemory.Mapping memory, int ringBytes) {
        this.tcp = tcp;
        this.memory = memory;
        this.ringBytes = ringBytes;
    }

    /**
     * Offers memory on a connection that does not block, and whose send buffer is empty.
     *
     * @param most size of a ring at most
     * @throws IOException if the system has no memory, or the connection has failed
     */
    public static RingOffering begin(SocketChannel tcp, HostMemory memory, int most, RandomGenerator random)
            throws IOException {
        int ringBytes = RingLayout.ringBytes(most);
        RingOffering offering = new RingOffering(tcp, memory.create(RingLayout.bytes(ringBytes)), ringBytes);
        boolean sent = false;
        try {
            offering.send(new RingFrame.Nonce(random.nextLong(), random.nextLong()));
            sent = true;
            return offering;
        } finally {
            if (!sent) {
                offering.close();
            }
        }
    }

    private void send(RingFrame.Nonce nonce) throws IOException {
        RingMemory.offer(memory.bytes(), nonce);
        byte[] frame = new RingFrame.Offer(nonce, memory.process(), memory.handle(), ringBytes).bytes();
        if (tcp.write(ByteBuffer.wrap(frame)) < frame.length) {
            throw new IOException("a new connection has no space for an offer of shared memory");
        }
    }

    /** Whether the peer cannot open the memory: it takes another kind of request on this connection. */
    public boolean refused() {
        return refused;
    }

    /**
     * Takes what has arrived. Returns the socket as soon as the peer has opened the memory.
     *
     * @throws IOException with a sentence, if the connection has ended or the peer has sent something else
     */
    public Optional<RingSocket> advance() throws IOException {
        if (tcp.read(answer) < 0) {
            throw new EOFException("it ended the connection before it had answered an offer of shared memory");
        }
        if (!RingFrame.Answer.begins(answer)) {
            throw new IOException("it sent something else than an answer to an offer of shared memory");
        }
        if (answer.hasRemaining()) {
            return Optional.empty();
        }
        RingFrame.Answer said = RingFrame.Answer.of(answer);
        if (!said.opened()) {
            refused = true;
            return Optional.empty();
        }
        if (!RingMemory.answered(memory.bytes(), said.nonce())) {
            throw new IOException("it has not opened the memory that was offered to it");
        }
        memory.shared();
        RingSocket socket = new RingSocket(new RingEnd(memory.bytes(), true, ringBytes), memory, tcp);
        given = true;
        return Optional.of(socket);
    }

    /** Gives the memory up, unless a socket has it. */
    @Override
    public void close() {
        if (!given) {
            memory.close();
        }
    }
}
