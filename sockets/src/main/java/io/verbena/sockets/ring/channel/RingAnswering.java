package io.verbena.sockets.ring.channel;

import io.verbena.sockets.ring.RingEnd;
import io.verbena.sockets.ring.RingLayout;
import io.verbena.verbs.HostMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** The server's side of the set-up. */
public final class RingAnswering {

    private RingAnswering() {}

    /**
     * Answers a whole {@link RingFrame#isOffer offer} on a connection whose send buffer is empty.
     *
     * @return the socket; empty if the memory cannot be opened, and then the peer sends another kind of request
     * @throws IOException if the connection has failed
     */
    public static Optional<RingSocket> answer(
            SocketChannel tcp, Optional<HostMemory> memory, byte[] bytes, RandomGenerator random) throws IOException {
        RingFrame.Offer offer = RingFrame.Offer.of(bytes);
        RingFrame.Nonce own = new RingFrame.Nonce(random.nextLong(), random.nextLong());
        Optional<HostMemory.Mapping> opened = memory.flatMap(host -> open(host, offer));
        boolean complete = false;
        try {
            opened.ifPresent(mapping -> RingMemory.answer(mapping.bytes(), own));
            tcp.configureBlocking(false);
            byte[] frame = new RingFrame.Answer(own, opened.isPresent()).bytes();
            if (tcp.write(ByteBuffer.wrap(frame)) < frame.length) {
                throw new IOException("a new connection has no space for an answer");
            }
            Optional<RingSocket> socket = opened.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new RingSocket(
                            new RingEnd(opened.get().bytes(), false, offer.ringBytes()), opened.get(), tcp));
            complete = true;
            return socket;
        } finally {
            if (!complete) {
                opened.ifPresent(HostMemory.Mapping::close);
            }
        }
    }

    private static Optional<HostMemory.Mapping> open(HostMemory host, RingFrame.Offer offer) {
        try {
            HostMemory.Mapping mapping =
                    host.open(offer.process(), offer.handle(), RingLayout.bytes(offer.ringBytes()));
            if (RingMemory.offered(mapping.bytes(), offer.nonce())) {
                return Optional.of(mapping);
            }
            mapping.close();
        } catch (IOException e) {
            return Optional.empty(); // another user, or another namespace of processes
        }
        return Optional.empty();
    }
}
