package io.verbena.tools.impair;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Seeds;
import io.verbena.wire.ib.IbOpcode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Frames of which any byte may be anything pass through all effects. */
@Tag(Seeds.TAG)
class HostileFramesTest {

    private static final int FRAMES = 50;

    @Test
    void anyFrame_passesAllEffects() {
        Seeds.each(200, seed -> {
            Random random = new Random(seed);
            Impairment engine = new Impairment(
                    Impairment.Settings.of(seed),
                    RuleReader.script(List.of(
                            "proto==any corrupt 90% trim 90% mark 90% duplicate 10% delay 1us",
                            "qp==0-0xffffff sport%7!=1 opcode!=RC_SEND* loss 1%")),
                    _ -> {});
            FrameReader reader = new FrameReader(Frames.ROCE);
            for (int i = 0; i < FRAMES; i++) {
                byte[] frame = damaged(random);
                engine.offer(Side.A, Packet.frame(frame, reader.frame(frame)), i);
            }
            long passed = 0;
            while (engine.poll(1_000_000_000L).isPresent()) {
                passed++;
            }
            assertTrue(passed >= FRAMES / 2, "passed " + passed);
        });
    }

    @Test
    void anyDatagram_getsOtherAddresses() {
        InetAddress own = InetAddress.ofLiteral("10.0.0.3");
        InetSocketAddress a = new InetSocketAddress("10.0.0.1", 4791);
        InetSocketAddress b = new InetSocketAddress("10.0.0.2", 4791);
        Seeds.each(200, seed -> {
            Random random = new Random(seed);
            RoceAddresses addresses = new RoceAddresses(own, 4791);
            for (int i = 0; i < FRAMES; i++) {
                byte[] frame = damaged(random);
                addresses.replace(
                        Arrays.copyOfRange(frame, Math.min(42, frame.length), frame.length),
                        new RoceAddresses.Hosts(a, b, 4791));
            }
        });
    }

    private static byte[] damaged(Random random) {
        boolean ipv4 = random.nextBoolean();
        byte[] frame = random.nextBoolean()
                ? Frames.roceFrame(ipv4, random.nextInt(65_536), 2, any(random), random.nextInt(300))
                : Frames.tcpFrame(ipv4, random.nextInt(300));
        for (int flips = random.nextInt(4); flips > 0; flips--) {
            frame[random.nextInt(Math.min(frame.length, 80))] = (byte) random.nextInt();
        }
        return random.nextInt(4) == 0 ? Arrays.copyOf(frame, random.nextInt(frame.length)) : frame;
    }

    private static IbOpcode any(Random random) {
        IbOpcode[] all = IbOpcode.values();
        return all[random.nextInt(all.length - 1)];
    }
}
