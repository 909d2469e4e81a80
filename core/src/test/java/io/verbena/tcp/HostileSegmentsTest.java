package io.verbena.tcp;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Times;
import io.verbena.fixture.Seeds;
import io.verbena.port.ByteStream;
import io.verbena.port.StreamEvents;
import io.verbena.tcp.flow.FlowKey;
import io.verbena.tcp.ip.PacketOut;
import io.verbena.tcp.receive.TcpReceiver;
import io.verbena.wire.ip.Ipv4Header;
import io.verbena.wire.ip.TcpHeader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Segments of a peer that knows all numbers and follows no rule: nothing is thrown, held memory is bounded, and time ends all. */
class HostileSegmentsTest {

    private static final int ADDRESS = 0x0a00_0001;
    private static final int PEER = 0x0a00_0002;
    private static final int PORTS = 50_000 << 16 | 7471;
    private static final int ROUNDS = 20;

    private Random random = new Random(0);
    private final TcpHost host;
    private final TcpLoop loop;
    private @Nullable ByteStream stream;
    private long nowNs;
    private int engineSequence;
    private int peerSequence;

    HostileSegmentsTest() {
        host = new TcpHost(Script.settings(), FlowKey.inet(ADDRESS), false, new FixedRandom(), 0);
        loop = host.newLoop(() -> {});
    }

    private void deliver(byte[] bytes) {
        host.onPacket(MemorySegment.ofArray(bytes), 0, bytes.length, true, nowNs);
        drain();
    }

    private void drain() {
        loop.report();
        for (int i = 0; host.transmit(nowNs); i++) {
            assertTrue(i < 1_000, "a flood of segments");
            MemorySegment memory = host.out().slab().segment();
            TcpHeader header = new TcpHeader().wrap(memory, PacketOut.OFFSET + 20);
            if ((header.flags() & TcpHeader.SYN) != 0) {
                engineSequence = header.sequence();
            }
        }
    }

    private byte[] segment(int sequence, int ack, int flags, byte[] optionsAndData, int optionBytes) {
        int header = 20 + optionBytes;
        byte[] bytes = new byte[40 + optionsAndData.length];
        MemorySegment memory = MemorySegment.ofArray(bytes);
        new TcpHeader()
                .wrap(memory, 20)
                .write(PORTS, sequence, ack, TcpHeader.lengthAndFlags(header, flags))
                .window(random.nextInt(4) == 0 ? 0 : random.nextInt(65_536));
        System.arraycopy(optionsAndData, 0, bytes, 40, optionsAndData.length);
        new Ipv4Header()
                .wrap(memory, 0)
                .write(bytes.length, 1, Ipv4Header.TCP, 64)
                .addresses(PEER, ADDRESS);
        return bytes;
    }

    private void open() throws IOException {
        loop.listen(new InetSocketAddress(FlowKey.inet(ADDRESS), 7471), 4, accepted -> {
            stream = accepted;
            loop.attach(accepted, new StreamEvents() {
                @Override
                public void onReadable() {}

                @Override
                public void onWritable() {}
            });
        });
        peerSequence = random.nextInt();
        byte[] options = {2, 4, 3, (byte) 0xe8, 4, 2, 1, 1};
        deliver(segment(peerSequence, 0, TcpHeader.SYN, options, 8));
        deliver(segment(peerSequence + 1, engineSequence + 1, TcpHeader.ACK, new byte[0], 0));
    }

    /** A number near one that matters. */
    private int near(int base) {
        return switch (random.nextInt(5)) {
            case 0 -> base + random.nextInt(20);
            case 1 -> base + random.nextInt(70_000);
            case 2 -> base - random.nextInt(5_000);
            case 3 -> random.nextInt();
            default -> base + 1_000 * random.nextInt(60);
        };
    }

    private void step() throws IOException {
        byte[] content = new byte[random.nextInt(3) == 0 ? 0 : random.nextInt(1_400)];
        int optionBytes = random.nextInt(3) == 0 ? Math.min(content.length / 4 * 4, 4 * random.nextInt(11)) : 0;
        random.nextBytes(content);
        if (optionBytes >= 12) {
            ByteBuffer options = ByteBuffer.wrap(content);
            int blocks = Math.min(4, (optionBytes - 4) / 8);
            options.putInt(0x0101_0500 | 2 + 8 * blocks);
            for (int i = 0; i < blocks; i++) {
                options.putInt(near(engineSequence)).putInt(near(engineSequence));
            }
        }
        int flags = random.nextInt(10) == 0 ? random.nextInt(256) & ~TcpHeader.RST : TcpHeader.ACK;
        deliver(segment(near(peerSequence), near(engineSequence), flags, content, optionBytes));
        ByteStream currentStream = stream;
        if (currentStream == null || random.nextInt(3) > 0) {
            return;
        }
        try {
            currentStream.write(ByteBuffer.allocateDirect(random.nextInt(5_000)));
            currentStream.read(ByteBuffer.allocateDirect(random.nextInt(5_000)));
        } catch (IOException e) {
            stream = null; // the hostile peer has hit an acceptable reset or acknowledgment
        }
        drain();
    }

    @Tag(Seeds.TAG)
    @Test
    void anySegments_ofAPeerThatKnowsTheNumbers_areSurvived() {
        Seeds.each(ROUNDS, seed -> {
            HostileSegmentsTest run = new HostileSegmentsTest();
            run.random.setSeed(seed);
            run.hostile(seed);
        });
    }

    /** The same with choices that a fuzzer makes: it draws from the bytes, as long as there are any. */
    static void chosen(byte[] choices) throws IOException {
        ByteBuffer left = ByteBuffer.wrap(choices);
        HostileSegmentsTest run = new HostileSegmentsTest();
        run.random = new Random() {
            private static final long serialVersionUID = 1;

            @Override
            protected int next(int bits) {
                int value = 0;
                for (int taken = 0; taken < bits && left.hasRemaining(); taken += Byte.SIZE) {
                    value |= (left.get() & 0xff) << taken;
                }
                return bits == Integer.SIZE ? value : value & (1 << bits) - 1;
            }
        };
        run.open();
        while (left.hasRemaining()) {
            run.turn();
        }
        run.end();
    }

    private void turn() throws IOException {
        step();
        nowNs += random.nextInt(5_000_000);
        host.onDeadline(nowNs);
        assertTrue(host.connectionCount() <= 5, "connections");
        assertTrue(host.lentBuffers() <= 10, "buffers");
    }

    private void hostile(long seed) throws IOException {
        try {
            open();
            for (int i = 0; i < 400; i++) {
                turn();
            }
            end();
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("seed " + seed + ": " + e, e);
        }
    }

    /** The application closes; whatever the peer did, everything ends. */
    private void end() {
        ByteStream currentStream = stream;
        if (currentStream != null) {
            currentStream.close(random.nextBoolean());
        }
        drain();
        for (int i = 0; i < 2_000 && host.nextDeadlineNs() != Times.NEVER; i++) {
            nowNs = host.nextDeadlineNs() - nowNs > 0 ? host.nextDeadlineNs() : nowNs;
            host.onDeadline(nowNs);
            drain();
        }
        assertTrue(host.connectionCount() == 0 || stream == null, () -> host.connectionCount() + " connections remain");
    }

    // A peer that sends every second byte makes as many holes as it can.
    @Test
    void floodOfHoles_isBounded() throws IOException {
        open();
        for (int i = 0; i < 30_000; i++) {
            deliver(segment(peerSequence + 3 + 2 * i, engineSequence + 1, TcpHeader.ACK, new byte[1], 0));
        }
        TcpStream tcpStream = (TcpStream) Objects.requireNonNull(stream);
        assertTrue(tcpStream.connection().receiver().holeRanges() <= TcpReceiver.MOST_RANGES);
        // The connection works: all is sent again in order.
        byte[] all = new byte[1_000];
        Arrays.fill(all, (byte) 5);
        for (int i = 0; i < 60; i++) {
            deliver(segment(peerSequence + 1 + 1_000 * i, engineSequence + 1, TcpHeader.ACK, all, 0));
        }
        assertTrue(tcpStream.connection().receiver().readable() >= 60_000);
    }
}
