package io.verbena.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.sim.VirtualHost;
import io.verbena.sim.World;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What comes of messages whose connection is lost: each receive gets the message that was due, or an error. */
class LostConnectionTest {

    private static final MessagingOptions OPTIONS = MessagingOptions.defaults().withMaxUnexpectedBytes(150);

    private final World world = new World(1);
    private final VirtualHost leftHost = world.addHost(RnicOptions.defaults());
    private final VirtualHost rightHost = world.addHost(RnicOptions.defaults());
    private final Messenger left = rank(0, leftHost);
    private final Messenger right = rank(1, rightHost);

    private Messenger rank(int number, VirtualHost host) {
        return new Messenger(number, 2, host.rnic(), OPTIONS, world::nowNs, new Random(number));
    }

    private void join() throws IOException {
        List<SocketAddress> addresses = List.of(
                left.endpoint().listen(leftHost.address(7000)), right.endpoint().listen(rightHost.address(7000)));
        left.members().join(addresses, 7);
        right.members().join(addresses, 7);
    }

    private Operation send(int length, int tag) {
        Operation send = new Operation(left).start(true, Pair.segment(length, tag), 0, length, 1, tag, 0);
        left.send(send);
        return send;
    }

    private Operation receive(int tag) {
        Operation receive = new Operation(right).start(false, Arena.ofAuto().allocate(200_000), 0, 200_000, 0, tag, 0);
        right.receive(receive);
        return receive;
    }

    private void until(BooleanSupplier condition) {
        for (int i = 0; !condition.getAsBoolean(); i++) {
            assertTrue(i < 100_000, "it did not come in time");
            left.progress();
            right.progress();
            world.runFor(10_000);
        }
    }

    private void expect(Operation receive, int length, int tag) {
        assertTrue(receive.done());
        assertEquals("", receive.failure());
        MemorySegment found = receive.buffer.asSlice(0, length);
        assertEquals(-1, found.mismatch(Pair.segment(length, tag).asSlice(0, length)));
    }

    @AfterEach
    void close() {
        left.endpoint().abort();
        right.endpoint().abort();
        world.close();
    }

    @Test
    void messagesWithinTheBound_areReceivedAfterTheConnectionWasLost_othersFailOnBothSides() throws IOException {
        join();
        Operation first = send(60, 1);
        until(first::done);
        Operation second = send(60, 2);
        Operation third = send(60, 3);
        until(() -> right.probe(0, 3, 0, new Status()));
        assertFalse(second.done(), "it is kept by its sender, and nobody wants it yet");
        assertFalse(third.done(), "it is kept by its sender, and nobody wants it yet");
        Operation none = receive(9);

        leftHost.kill(false);
        until(none::done);
        assertTrue(none.failure().contains("rank 0"), none.failure());
        expect(receive(1), 60, 1);
        assertFalse(receive(2).failure().isEmpty());
        assertFalse(receive(3).failure().isEmpty());
        assertFalse(receive(1).failure().isEmpty());
    }

    @Test
    void largeMessageThatIsCutOff_failsItsReceiveOnly() throws IOException {
        join();
        send(150_000, 1);
        Operation small = send(60, 2);
        until(small::done);
        until(() -> right.probe(0, 2, 0, new Status()));

        leftHost.kill(false);
        Operation cut = receive(1);
        until(cut::done);
        assertTrue(cut.failure().contains("rank 0"), cut.failure());
        expect(receive(2), 60, 2);
    }
}
