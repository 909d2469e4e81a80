package io.verbena.ib;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Seeds;
import io.verbena.ib.settings.RcOption;
import io.verbena.ib.settings.RcSettings;
import io.verbena.ib.settings.SettingsBuilder;
import io.verbena.memory.Region;
import io.verbena.verbs.AccessRight;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.IbPacket;
import io.verbena.wire.ib.IbPacketOutcome;
import io.verbena.wire.ib.Icrc;
import io.verbena.wire.ib.PacketRun;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Packets that a connection takes in runs have the effect that they have one by one, whatever is wrong with them. */
@Tag(Seeds.TAG)
class RcRunTest {

    private static final int ROUNDS = 400;
    private static final int GROUPS = 40;
    private static final int MOST_PACKETS = 20;
    private static final int MTU = 256;
    private static final int MEMORY = 8192;
    private static final int FIRST_PSN = 0xff_fff0;
    private static final IbOpcode[] OPCODES = {
        IbOpcode.RC_WRITE_ONLY, IbOpcode.RC_WRITE_MIDDLE, IbOpcode.RC_SEND_ONLY, IbOpcode.RC_SEND_MIDDLE
    };

    private static int takenInRuns;

    /** What one end does with the packets of a seed. */
    private static final class Play {
        private final SplittableRandom random;
        private final boolean runs;
        private final MemorySegment memory;
        private final RcPair.End end;
        private final Region open;
        private final Region other;
        private final ByteBuffer bytes = ByteBuffer.allocateDirect(MOST_PACKETS * (MTU + 64));
        private final MemorySegment segment = MemorySegment.ofBuffer(bytes);
        private final IbPacket packet = new IbPacket();
        private final PacketRun run = new PacketRun();
        private final Icrc icrc = new Icrc();
        private final Icrc.Flow flow =
                new Icrc.Flow().source(0, 0xffff_0a00_0002L, 4791).target(0, 0xffff_0a00_0001L, 4791);
        private final List<String> course = new ArrayList<>();
        private int psn = FIRST_PSN;
        private int receives;

        Play(long seed, boolean runs, MemorySegment memory) {
            random = new SplittableRandom(seed);
            this.runs = runs;
            this.memory = memory.fill((byte) 0);
            end = new RcPair.End(settings());
            open = end.regions.register(memory.asSlice(0, MEMORY / 2), 1, RcPair.ALL);
            other = end.regions.register(
                    memory.asSlice(MEMORY / 2), 1, Set.of(AccessRight.LOCAL_WRITE, AccessRight.REMOTE_READ));
        }

        private RcSettings settings() {
            SettingsBuilder settings = RcPair.builder(RcPair.B_QP, RcPair.A_QP, 900, FIRST_PSN)
                    .mtuBytes(MTU)
                    .receiverNotReadyCode(1);
            return switch (random.nextInt(3)) {
                case 0 -> settings.options(RcOption.SELECTIVE_REPEAT).reliableConnection();
                case 1 -> settings.options(RcOption.REPORTS_CREDITS).reliableConnection();
                default -> settings.reliableConnection();
            };
        }

        List<String> play() {
            for (int i = 0; i < GROUPS; i++) {
                between();
                int count = 1 + random.nextInt(MOST_PACKETS);
                int length = group(count);
                deliver(count, length);
                end.transmit(5);
                course.add(end.engine.stateDigest() + " " + end.wireText());
                end.wire.clear();
            }
            course.addAll(end.completions());
            byte[] image = memory.toArray(JAVA_BYTE);
            course.add(String.valueOf(Arrays.hashCode(image)));
            return course;
        }

        /** What the program does between two groups. */
        private void between() {
            for (int i = random.nextInt(12); i > 0 && receives - end.receive.retired() < 64; i--) {
                end.postReceive(receives++, random.nextInt(20) == 0 ? other : open, random.nextInt(3 * MTU));
            }
            if (random.nextInt(3) == 0) {
                course.addAll(end.completions());
            }
            switch (random.nextInt(200)) {
                case 0 -> end.engine.peerRights(Set.of());
                case 1 -> end.engine.peerRights(RcPair.ALL);
                case 2 -> end.regions.invalidate(open.rkey(), 1);
                case 3 -> end.engine.peerRights(Set.of(AccessRight.REMOTE_READ));
                default -> {}
            }
        }

        /** Writes packets of one length, in each of which something may be wrong. Returns their length. */
        private int group(int count) {
            boolean begun = random.nextInt(3) == 0;
            IbOpcode opcode = OPCODES[random.nextInt(OPCODES.length)];
            boolean only = opcode.ends();
            int payload = only ? random.nextInt(random.nextBoolean() ? 16 : MTU + 8) : MTU;
            if (!only && begun) {
                begin(opcode);
            }
            int pad = -payload & 3;
            int length = opcode.headerBytes() + payload + pad + Icrc.LENGTH;
            int first = random.nextInt(12) == 0 ? psn + random.nextInt(4) - 2 : psn;
            for (int i = 0; i < count; i++) {
                byte[] each = one(opcode, first + i & 0xff_ffff, payload);
                MemorySegment.copy(MemorySegment.ofArray(each), 0, segment, (long) i * length, length);
                seal(i, length);
            }
            psn = first + count & 0xff_ffff;
            return length;
        }

        /** The first packet of a message, alone. */
        private void begin(IbOpcode middle) {
            boolean write = middle == IbOpcode.RC_WRITE_MIDDLE;
            int whole = MTU * (1 + random.nextInt(12)) + 1;
            byte[] first = write
                    ? Crafted.withReth(IbOpcode.RC_WRITE_FIRST, psn, MTU, open.baseAddress(), open.rkey(), whole)
                    : Crafted.request(IbOpcode.RC_SEND_FIRST, psn, MTU);
            psn = psn + 1 & 0xff_ffff;
            end.receive(first, 5);
        }

        private byte[] one(IbOpcode opcode, int number, int payload) {
            boolean wrong = random.nextInt(100) == 0;
            int kind = wrong ? random.nextInt(6) : -1;
            return Crafted.packet(opcode, number, payload, p -> {
                p.bth().a(random.nextInt(4) != 0).se(kind == 0);
                if (kind == 1) {
                    p.bth().psn(number + 1);
                }
                if (kind == 2) {
                    p.bth().fecn(true);
                }
                if (opcode.hasReth()) {
                    p.reth()
                            .va(open.baseAddress() + random.nextInt(kind == 3 ? MEMORY : MEMORY / 2 - 2 * MTU))
                            .rKey(kind == 4 ? other.rkey() : open.rkey())
                            .dmaLength(kind == 5 ? payload + 4 : payload);
                }
            });
        }

        private void seal(int index, int length) {
            int at = index * length;
            int summed = length - Icrc.LENGTH;
            int damage = random.nextInt(150) == 0 ? 1 : 0;
            Icrc.write(segment, at + summed, icrc.compute(bytes, at, summed, flow, index) ^ damage);
        }

        private void deliver(int count, int length) {
            for (int i = 0; i < count; i++) {
                int at = i * length;
                int sum = icrc.compute(bytes, at, length - Icrc.LENGTH, flow, i);
                assertEquals(IbPacketOutcome.OK, packet.decode(segment, at, length));
                if (packet.icrc() != sum) {
                    continue;
                }
                end.engine.onPacket(packet, segment, end.origin, 5);
                if (runs
                        && PacketRun.mayFollow(packet)
                        && end.engine.takesRun(end.origin, packet.bth().psn() + 1 & 0xff_ffff)
                        && run.follow(packet, bytes, count - i - 1, icrc, flow, i + 1) > 0) {
                    int taken = end.engine.onRun(run);
                    takenInRuns += taken;
                    i += taken;
                }
            }
        }
    }

    @Test
    void packets_inRuns_haveTheEffectOfSinglePackets() {
        takenInRuns = 0;
        MemorySegment memory = Arena.ofAuto().allocate(MEMORY, 64);
        Seeds.each(ROUNDS, seed -> {
            List<String> single = new Play(seed, false, memory).play();
            assertEquals(single, new Play(seed, true, memory).play());
        });
        if (Seeds.recorded(ROUNDS)) {
            assertTrue(takenInRuns > ROUNDS, takenInRuns + " packets were taken in runs");
        }
    }
}
