package io.verbena.storage.subsystem;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Seeds;
import io.verbena.storage.device.MemoryDevice;
import io.verbena.storage.wire.IdentifyController;
import io.verbena.storage.wire.Status;
import io.verbena.storage.wire.SubmissionEntry;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Commands of a host, and the answers. */
@Tag(Seeds.TAG)
class TargetTest {
    private static final String NAME = "nqn.2026-01.io.verbena:disk";
    private static final String HOST = "nqn.2026-01.org.example:host";

    private final MemoryDevice device = new MemoryDevice(1 << 20, 512);
    private final StorageTarget target = new StorageTarget(TargetLimits.defaults());
    private final Subsystem subsystem = new Subsystem(NAME, "serial", Set.of(HOST));
    private HostScript admin = new HostScript(target, 0, 32);
    private HostScript io = new HostScript(target, 1, 128);

    @BeforeEach
    void connect() {
        target.add(subsystem);
        target.put(subsystem, new Namespace(1, device, new UUID(1, 2)));
        admin.connect(NAME, 0xffff, HOST);
        admin.enable();
        assertEquals(0, io.connect(NAME, 1, HOST).status());
    }

    @AfterEach
    void close() {
        device.close();
    }

    private static SubmissionEntry blocks(SubmissionEntry entry, int opcode, long first, int count) {
        entry.opcode(opcode).namespaceId(1).firstBlock(first).blocksMinusOne(count - 1);
        return entry.keyed(4096, count * 512, 9, true);
    }

    @Test
    void blocksWritten_read_areTheSameAndTheKeyIsInvalidated() {
        new Random(1).nextBytes(io.memory);
        byte[] sent = Arrays.copyOfRange(io.memory, 4096, 8192);
        HostScript.Response written = io.call(e -> blocks(e, 1, 3, 8));
        assertEquals(0, written.status());
        assertTrue(written.invalidate());
        assertEquals(9, written.key());
        Arrays.fill(io.memory, (byte) 0);
        assertEquals(0, io.status(e -> blocks(e, 2, 3, 8)));
        assertArrayEquals(sent, Arrays.copyOfRange(io.memory, 4096, 8192));
        assertEquals(0, io.status(e -> blocks(e, 5, 3, 8)));
        io.memory[5000]++;
        assertEquals(Status.COMPARE_FAILURE.field(), io.status(e -> blocks(e, 5, 3, 8)));
    }

    @Test
    void dataInTheCapsule_outOfRange_areRefused() {
        assertEquals(
                Status.SGL_OFFSET.field(), io.status(e -> blocks(e, 1, 0, 1).inCapsule(0, 512)));
        assertEquals(
                Status.SGL_OFFSET.field(), io.status(e -> blocks(e, 1, 0, 1).inCapsule(-511, 512)));
        io.send(512, e -> blocks(e, 1, 0, 1).inCapsule(1, 512));
        assertEquals(Status.SGL_OFFSET.field(), io.responses.removeLast().status());
        io.send(512, e -> blocks(e, 1, 0, 1).inCapsule(0, 512));
        assertEquals(0, io.responses.removeLast().status());
    }

    @Test
    void badCommands_haveTheirStatus_andTheConnectionLives() {
        assertEquals(Status.LBA_RANGE.field(), io.status(e -> blocks(e, 2, 2047, 2)));
        assertEquals(Status.LBA_RANGE.field(), io.status(e -> blocks(e, 2, -1, 2)));
        assertEquals(Status.LBA_RANGE.field(), io.status(e -> blocks(e, 2, Long.MIN_VALUE, 1)));
        assertEquals(
                Status.SGL_LENGTH.field(), io.status(e -> blocks(e, 2, 0, 2).keyed(0, 512, 9, true)));
        assertEquals(Status.INVALID_FIELD.field(), io.status(e -> blocks(e, 2, 0, 257)));
        assertEquals(Status.SGL_TYPE.field(), io.status(e -> blocks(e, 2, 0, 1).sglType(0x50)));
        assertEquals(
                Status.INVALID_FIELD.field(), io.status(e -> blocks(e, 2, 0, 1).sglType(0x41)));
        assertEquals(
                Status.INVALID_FIELD.field(), io.status(e -> blocks(e, 2, 0, 1).flags(0)));
        assertEquals(
                Status.INVALID_NAMESPACE.field(),
                io.status(e -> blocks(e, 2, 0, 1).namespaceId(-1)));
        assertEquals(Status.INVALID_OPCODE.field(), io.status(e -> blocks(e, 0x55, 0, 1)));
        assertEquals(0, io.status(e -> e.opcode(0).namespaceId(1)));
        assertFalse(io.closed);
    }

    @Test
    void deallocate_withThe4096BytesOfLinux_succeeds() {
        Arrays.fill(io.memory, (byte) 0);
        assertEquals(
                0, io.status(e -> e.opcode(9).namespaceId(1).cdw10(0).cdw11(4).keyed(4096, 4096, 9, true)));
        assertEquals(0, io.status(e -> blocks(e, 8, 0, 2048)));
        assertEquals(0, io.status(e -> blocks(e, 12, 0, 2048)));
    }

    @Test
    void sameCommandId_twiceAtOnce_isAConflict() {
        io.holdDevice = true;
        int id = io.send(0, e -> blocks(e, 2, 0, 1));
        io.send(0, e -> blocks(e, 2, 0, 1).commandId(id));
        assertEquals(
                Status.COMMAND_ID_CONFLICT.field(), io.responses.removeLast().status());
        io.releaseDevice();
        assertEquals(0, io.responses.removeLast().status());
    }

    @Test
    void moreCommandsThanBuffers_wait_andAllAreAnswered() {
        io.holdDevice = true;
        for (int i = 0; i < 100; i++) {
            io.send(0, e -> blocks(e, 2, 0, 1));
        }
        assertEquals(8, io.held.size());
        io.holdDevice = false;
        io.releaseDevice();
        assertEquals(100, io.responses.size());
    }

    @Test
    void hostConnectsAgain_whileOldWorkIsUnderWay_isAnsweredAfterIt() {
        io.holdDevice = true;
        io.send(0, e -> blocks(e, 8, 0, 1));
        HostScript again = new HostScript(target, 0, 32);
        System.arraycopy(admin.memory, 0, again.memory, 0, 1024);
        again.send(0, again::connectEntry);
        admin.settle();
        io.settle();
        assertTrue(admin.closed);
        assertTrue(io.closed);
        assertTrue(again.responses.isEmpty());
        io.releaseDevice();
        assertEquals(0, again.responses.removeLast().status());
        again.enable();
    }

    @Test
    void connect_withWrongParameters_namesThem() {
        HostScript.Response other = new HostScript(target, 0, 32).connect("nqn.other", 0xffff, HOST);
        assertEquals(0x4182, other.status());
        assertEquals(0x10100, other.result());
        assertEquals(
                0x10010, new HostScript(target, 2, 32).connect(NAME, 77, HOST).result());
        assertEquals(
                0x4184,
                new HostScript(target, 0, 32)
                        .connect(NAME, 0xffff, "nqn.2026-01.org.example:stranger")
                        .status());
        assertEquals(
                0x400c, new HostScript(target, 1, 32).connect(NAME, 1, HOST).status());
        HostScript size = new HostScript(target, 0, 32);
        HostScript.Response zero = size.call(e -> {
            size.connectEntry(e);
            e.queueSizeMinusOne(0);
        });
        assertEquals(0x2c, zero.result());
    }

    @Test
    void silentHost_afterItsKeepAliveTime_isEnded() {
        assertEquals(6_000_000_000L, target.nextDeadlineNs(0).getAsLong());
        admin.nowNs = 4_000_000_000L;
        assertEquals(0, admin.status(e -> e.opcode(0x18)));
        target.onDeadline(9_999_999_999L);
        assertFalse(admin.closed);
        target.onDeadline(10_000_000_000L);
        assertTrue(admin.closed);
        assertTrue(io.closed);
    }

    @Test
    void namespaceAdded_withEventsOn_isNoticedOnceUntilTheLogIsRead() {
        assertEquals(0, admin.status(e -> e.opcode(9).cdw10(0x0b).cdw11(0x100)));
        int first = admin.send(0, e -> e.opcode(0x0c));
        admin.send(0, e -> e.opcode(0x0c));
        target.put(subsystem, new Namespace(2, device, new UUID(1, 3)));
        target.put(subsystem, new Namespace(3, device, new UUID(1, 4)));
        admin.settle();
        assertEquals(new HostScript.Response(first, 0, 0x040002, false, 0), admin.responses.removeLast());
        assertTrue(admin.responses.isEmpty());
        admin.send(0, e -> e.opcode(2).cdw10(1023 << 16 | 4).keyed(8192, 4096, 5, true));
        assertEquals(0, admin.responses.removeLast().status());
        assertTrue(admin.responses.isEmpty());
        assertEquals(2, admin.memory[8192]);
        assertEquals(3, admin.memory[8196]);
        assertEquals(0, admin.memory[8200]);
        target.remove(subsystem, 2);
        assertEquals(0x040002, admin.responses.removeLast().result());
    }

    @Test
    void identify_ofTheController_hasWhatLinuxInsistsOn() {
        assertEquals(0, admin.status(e -> e.opcode(6).cdw10(1).keyed(8192, 4096, 5, true)));
        IdentifyController page = new IdentifyController().wrap(MemorySegment.ofArray(admin.memory), 8192);
        assertEquals(1, page.controllerId());
        assertTrue(page.keepAliveGranularity() > 0);
        assertEquals(0, page.inCapsuleOffset());
        assertEquals(4, page.sglSupport() & 4);
        assertEquals(128, page.maxCommands());
        assertEquals(1, page.writeCache());
        assertEquals("Verbena", page.modelNumber());
        assertEquals(
                Status.INVALID_FIELD.field(),
                admin.status(e -> e.opcode(6).cdw10(6).keyed(8192, 4096, 5, true)));
    }

    @Test
    void shortCapsule_endsTheAssociation_andIsCounted() {
        io.queue.onCapsule(0, 63, 0);
        assertEquals(new CapsuleDrops(1, 0), target.figures().drops());
        io.queue.onCapsule(1, 64, 0);
        assertEquals(new CapsuleDrops(1, 1), target.figures().drops());
        assertTrue(io.closed);
        assertTrue(admin.closed);
    }

    @Test
    void fuzzedCapsules_neverThrow() {
        Seeds.each(8, this::fuzzedCapsules);
    }

    private void fuzzedCapsules(long seed) {
        Random random = new Random(seed);
        byte[] bytes = new byte[64];
        for (int i = 0; i < 25_000; i++) {
            HostScript to = random.nextInt(4) == 0 ? admin : io;
            to.send(random.nextInt(8192), e -> {
                random.nextBytes(bytes);
                byte[] kept = bytes.clone();
                int opcode = random.nextInt(4) == 0 ? kept[0] : new int[] {0, 1, 2, 5, 8, 9, 12, 6}[random.nextInt(8)];
                e.opcode(opcode).flags(random.nextInt(8) == 0 ? kept[1] : 0x40);
                e.namespaceId(random.nextInt(3))
                        .firstBlock(random.nextInt(4096))
                        .cdw12(random.nextInt(300));
                e.cdw13(random.nextInt()).cdw11(random.nextInt(8) == 0 ? random.nextInt() : 0);
                long address = random.nextInt(4) == 0 ? random.nextLong() : random.nextInt(64) * 512L;
                if (random.nextBoolean()) {
                    e.inCapsule(address, random.nextInt(8) == 0 ? random.nextInt() : random.nextInt(16) * 512);
                } else {
                    e.keyed(address & 0xffff, random.nextInt(300) * 512, random.nextInt(), random.nextBoolean());
                }
                if ((opcode & 0xff) == 0x0c && to == admin || (opcode & 0xff) == 0x7f) {
                    e.opcode(0x18);
                }
            });
            to.responses.clear();
        }
        assertFalse(io.closed);
        assertEquals(0, io.status(e -> blocks(e, 2, 0, 1)));
    }
}
