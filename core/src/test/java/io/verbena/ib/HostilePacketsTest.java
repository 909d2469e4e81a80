package io.verbena.ib;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.PacketPath;
import io.verbena.fixture.Seeds;
import io.verbena.ib.endpoint.QueuePairEngine;
import io.verbena.ib.endpoint.QueuePairWork;
import io.verbena.ib.packet.Origin;
import io.verbena.ib.settings.RcOption;
import io.verbena.ib.settings.RcSettings;
import io.verbena.ib.settings.SettingsBuilder;
import io.verbena.ib.unreliable.AddressHandles;
import io.verbena.ib.unreliable.UcEngine;
import io.verbena.ib.unreliable.UdEngine;
import io.verbena.memory.Region;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.IbPacket;
import io.verbena.wire.ib.IbPacketOutcome;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Passes hostile packets to engines: packets with valid numbers and keys, damaged, duplicated, or random. The engines
 * throw no exception, change no byte outside the memory that the peer may write and the posted receives, and complete
 * every request at most once.
 */
@Tag(Seeds.TAG)
class HostilePacketsTest {

    private static final int PACKETS = 300;
    private static final int ROUNDS = 100;
    private static final int Q_KEY = 0x1111_1111;
    private static final int GUARD = 4096;
    private static final byte UNTOUCHED = 0x5a;
    private static final PacketPath PEER = new PacketPath(0, Station.ADDRESS + 2, 4791, 0);

    private static RcSettings reliable(SplittableRandom random) {
        SettingsBuilder settings = new SettingsBuilder()
                .local(0x22)
                .remote(0x11)
                .mtuBytes(256)
                .firstPsns(900, 100)
                .reads(random.nextInt(4), random.nextInt(4))
                .retries(3, 3)
                .ackTimeoutNs(1_000_000)
                .receiverNotReadyCode(1)
                .windowPackets(1 + random.nextInt(30));
        return switch (random.nextInt(4)) {
            case 2 -> settings.options(RcOption.SELECTIVE_REPEAT).reliableConnection();
            case 0 ->
                settings.options(RcOption.HEEDS_CREDITS, RcOption.REPORTS_CREDITS)
                        .reliableConnection();
            case 1 -> settings.options(RcOption.CONGESTION_CONTROL).reliableConnection();
            default -> settings.reliableConnection();
        };
    }

    private static SettingsBuilder unreliable() {
        return new SettingsBuilder().local(0x22).remote(0x11).mtuBytes(256).firstPsns(900, 100);
    }

    @Test
    void reliableConnection_anyPackets_keepsItsBounds() {
        rounds(0, random -> work -> new RcEngine(reliable(random), work, PEER));
    }

    @Test
    void unreliableConnection_anyPackets_keepsItsBounds() {
        rounds(1, random -> work -> {
            UcEngine engine = new UcEngine(unreliable().unreliableConnection(), work, PEER);
            engine.readyToSend();
            return engine;
        });
    }

    @Test
    void datagrams_anyPackets_keepTheirBounds() {
        AddressHandles handles = new AddressHandles(2);
        handles.add(PEER);
        rounds(3, random -> work -> {
            UdEngine engine = new UdEngine(
                    unreliable().qKey(Q_KEY).writes(random.nextBoolean()).datagram(), work, handles);
            engine.readyToSend();
            return engine;
        });
    }

    private static void rounds(
            int service, Function<SplittableRandom, Function<QueuePairWork, QueuePairEngine>> maker) {
        Seeds.each(ROUNDS, seed -> round(service, seed, maker));
    }

    private static void round(
            int service, long seed, Function<SplittableRandom, Function<QueuePairWork, QueuePairEngine>> maker) {
        SplittableRandom random = new SplittableRandom(seed);
        Station<QueuePairEngine> s = new Station<>(0x22, maker.apply(random));
        Arena arena = Arena.ofAuto();
        MemorySegment all = arena.allocate(3 * GUARD, 8).fill(UNTOUCHED);
        Region open = s.regions.register(all.asSlice(GUARD, GUARD), 1, RcPair.ALL);
        MemorySegment secret = arena.allocate(GUARD, 8).fill(UNTOUCHED);
        Region closed = s.regions.register(secret, 1, Set.of(AccessRight.REMOTE_READ));
        int posted = post(s, open, random);
        int completed = 0;
        long nowNs = Long.MAX_VALUE - 1_000_000;
        for (int i = 0; i < PACKETS; i++) {
            byte[] bytes =
                    random.nextInt(8) == 0 ? noise(random) : spoilt(packet(service, random, open, closed), random);
            if (random.nextInt(10) == 0) {
                s.origin.source(0, Station.ADDRESS + random.nextInt(4));
                s.origin.trafficClass(random.nextInt(4));
            } else {
                s.origin.source(0, Station.ADDRESS + 2);
            }
            give(s.engine, bytes, s.origin, nowNs);
            nowNs += random.nextInt(100_000);
            s.engine.onDeadline(nowNs);
            s.transmit(nowNs);
            s.wire.forEach(HostilePacketsTest::checkSent);
            s.wire.clear();
            completed += s.completions().size();
            if (s.engine.failure().isPresent()) {
                s.engine.flush();
                completed += s.completions().size();
            }
        }
        assertTrue(completed <= posted, completed + " of " + posted);
        for (int i = 0; i < GUARD; i++) {
            assertEquals(UNTOUCHED, all.get(JAVA_BYTE, i));
            assertEquals(UNTOUCHED, all.get(JAVA_BYTE, 2 * GUARD + i));
            assertEquals(UNTOUCHED, secret.get(JAVA_BYTE, i));
        }
    }

    private static int post(Station<QueuePairEngine> s, Region open, SplittableRandom random) {
        int receives = random.nextInt(6);
        for (int i = 0; i < receives; i++) {
            s.postReceive(i, open, random.nextInt(1000));
        }
        WorkOpcode[] kinds = {
            WorkOpcode.SEND, WorkOpcode.WRITE, WorkOpcode.READ, WorkOpcode.FETCH_AND_ADD, WorkOpcode.SEND_WITH_IMMEDIATE
        };
        int sends = random.nextInt(8);
        for (int i = 0; i < sends; i++) {
            WorkOpcode kind = kinds[random.nextInt(kinds.length)];
            int length = kind == WorkOpcode.FETCH_AND_ADD ? 8 : random.nextInt(1500);
            s.post(kind, WrFlags.SIGNALLED, w -> w.remoteAddress(7).addElement(open.localKey(), 0, length));
        }
        return receives + sends;
    }

    private static byte[] noise(SplittableRandom random) {
        byte[] bytes = new byte[random.nextInt(400)];
        random.nextBytes(bytes);
        if (bytes.length > 11) {
            bytes[1] &= (byte) 0xf0;
        }
        return bytes;
    }

    /** A packet of the service with numbers that are likely to be right. */
    private static byte[] packet(int service, SplittableRandom random, Region open, Region closed) {
        IbOpcode opcode;
        do {
            opcode = IbOpcode.of(service << 5 | random.nextInt(0x18));
        } while (opcode == IbOpcode.RESERVED);
        IbOpcode chosen = service == 0 && random.nextInt(10) == 0 ? IbOpcode.SELECTIVE_ACKNOWLEDGE : opcode;
        if (service == 3 && random.nextInt(3) == 0) {
            chosen = IbOpcode.UD_WRITE_ONLY;
        }
        return packet(chosen, random, open, closed);
    }

    private static byte[] packet(IbOpcode chosen, SplittableRandom random, Region open, Region closed) {
        int psn = chosen.request() ? 100 + random.nextInt(8) - 2 : 900 + random.nextInt(8);
        int payload = chosen == IbOpcode.SELECTIVE_ACKNOWLEDGE
                ? 32
                : !chosen.hasPayload() ? 0 : random.nextInt(3) == 0 ? 256 : random.nextInt(300);
        Region to = random.nextInt(4) == 0 ? closed : open;
        return Crafted.packet(chosen, psn, payload, p -> {
            p.bth().a(random.nextBoolean()).se(random.nextBoolean()).m(random.nextInt(5) == 0);
            if (chosen.hasReth()) {
                int length = random.nextInt(3) == 0 ? random.nextInt() : payload + 256 * random.nextInt(3);
                p.reth()
                        .va(to.baseAddress() + random.nextInt(4200) - 50)
                        .rKey(to.rkey())
                        .dmaLength(length);
            }
            if (chosen.hasAtomicEth()) {
                p.atomicEth().va(to.baseAddress() + 8L * random.nextInt(600)).rKey(to.rkey());
            }
            if (chosen.hasAeth()) {
                p.aeth().set(random.nextBoolean() ? random.nextInt(32) : random.nextInt(256), random.nextInt(8));
            }
            if (chosen.invalidates()) {
                p.ieth().rKey(to.rkey());
            }
            if (chosen.hasDeth()) {
                p.deth().set(Q_KEY, random.nextInt());
            }
        });
    }

    private static byte[] spoilt(byte[] bytes, SplittableRandom random) {
        if (random.nextInt(3) == 0) {
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        }
        return random.nextInt(10) == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes;
    }

    private static void give(QueuePairEngine engine, byte[] bytes, Origin origin, long nowNs) {
        IbPacket packet = new IbPacket();
        MemorySegment segment = MemorySegment.ofArray(bytes);
        if (packet.decode(segment, 0, bytes.length) == IbPacketOutcome.OK) {
            packet.describe(new StringBuilder());
            engine.onPacket(packet, segment, origin, nowNs);
        }
    }

    private static void checkSent(byte[] bytes) {
        IbPacketOutcome outcome = new IbPacket().decode(MemorySegment.ofArray(bytes), 0, bytes.length);
        assertEquals(IbPacketOutcome.OK, outcome, "sent packets are well formed");
    }
}
