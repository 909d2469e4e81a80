package io.verbena.hardware.provider;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.hardware.fake.FakeLibrary;
import io.verbena.hardware.provider.device.Obstacles;
import io.verbena.messaging.channel.Channel;
import io.verbena.messaging.channel.ChannelListener;
import io.verbena.messaging.channel.ChannelOptions;
import io.verbena.messaging.channel.Element;
import io.verbena.messaging.channel.Endpoint;
import io.verbena.messaging.channel.TransferVector;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messaging over adapters: on iWARP without immediate data, which the device refuses. */
class MessagingTest {

    private static final long PATIENCE_NS = 20_000_000_000L;
    private static final Path NONE = Path.of("/none");

    /** What has happened at an endpoint. */
    private static final class Inbox implements ChannelListener {
        final List<Channel> opened = new ArrayList<>();
        final Deque<byte[]> arrived = new ArrayDeque<>();
        final List<String> ended = new ArrayList<>();

        @Override
        public void opened(Channel channel) {
            opened.add(channel);
        }

        @Override
        public boolean arrived(Channel channel, Element element) {
            arrived.add(element.toBytes());
            return true;
        }

        @Override
        public void ended(Channel channel, String reason) {
            ended.add(reason);
        }
    }

    private final Inbox left = new Inbox();
    private final Inbox right = new Inbox();

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void elementsOfManySizes_arriveInOrder(boolean iwarp) throws Exception {
        try (FakeLibrary fake = new FakeLibrary()) {
            if (iwarp) {
                fake.siw();
            }
            IbverbsProvider provider = new IbverbsProvider(fake::libraries, new Obstacles(NONE, NONE), false);
            try (Rnic near = provider.open(RnicOptions.defaults());
                    Rnic far = provider.open(RnicOptions.defaults());
                    Endpoint client = new Endpoint(near, ChannelOptions.defaults(), left);
                    Endpoint server = new Endpoint(far, ChannelOptions.defaults(), right)) {
                Channel channel = client.connect(
                        server.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)), new byte[] {1});
                until(client, server, () -> channel.open() && !right.opened.isEmpty());
                for (int i = 0; i < 40; i++) {
                    exchange(client, server, channel, i);
                }
                assertEquals(List.of(), left.ended);
            }
        }
    }

    private void exchange(Endpoint client, Endpoint server, Channel channel, int round) {
        byte[] data = new byte[round * 401];
        Arrays.fill(data, (byte) round);
        TransferVector there = new TransferVector().add(MemorySegment.ofArray(data), 0, data.length);
        until(client, server, () -> {
            channel.transfer(0, there);
            return there.done() && !right.arrived.isEmpty();
        });
        assertArrayEquals(data, right.arrived.removeFirst());
        TransferVector back = new TransferVector().add(MemorySegment.ofArray(data), 0, data.length);
        until(client, server, () -> {
            right.opened.getFirst().transfer(0, back);
            return back.done() && !left.arrived.isEmpty();
        });
        assertArrayEquals(data, left.arrived.removeFirst());
    }

    private void until(Endpoint client, Endpoint server, BooleanSupplier condition) {
        long beganNs = System.nanoTime();
        while (!condition.getAsBoolean()) {
            client.progress();
            server.progress();
            assertTrue(left.ended.isEmpty() && right.ended.isEmpty(), () -> left.ended + " " + right.ended);
            assertTrue(System.nanoTime() - beganNs < PATIENCE_NS, "the condition did not hold in time");
        }
    }
}
