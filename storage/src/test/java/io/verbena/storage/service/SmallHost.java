package io.verbena.storage.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.storage.wire.CmRequest;
import io.verbena.storage.wire.CompletionEntry;
import io.verbena.storage.wire.ConnectData;
import io.verbena.storage.wire.SubmissionEntry;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.WrFlags;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** One queue of a host that has one command at a time. */
final class SmallHost implements AutoCloseable {
    private static final int DATA = 16_384;

    private final ProtectionDomain domain;
    private final CompletionQueue completions;
    private final QueuePair queuePair;
    private final Connection connection;
    private final MemoryRegion capsules;
    private final MemoryRegion memory;
    private final SubmissionEntry entry = new SubmissionEntry();
    private final CompletionEntry response = new CompletionEntry();
    private final int queueId;
    private final int entries;
    private int nextId;
    private int blockBytes = 512;

    SmallHost(Rnic rnic, SocketAddress address, int queueId, int entries) throws ConnectionException {
        this.queueId = queueId;
        this.entries = entries;
        domain = rnic.allocateProtectionDomain();
        completions = rnic.createCompletionQueue(64);
        queuePair = domain.createQueuePair(QueuePairOptions.of(completions).withReads(16, 0));
        capsules = domain.allocate(DATA, AccessRight.LOCAL_WRITE);
        memory = domain.allocate(1 << 17, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE);
        byte[] request = new byte[CmRequest.LENGTH];
        new CmRequest()
                .wrap(MemorySegment.ofArray(request), 0)
                .queueId(queueId)
                .receiveQueueSize(entries)
                .sendQueueSizeMinusOne(entries - 1);
        connection =
                rnic.connect(queuePair, address, ConnectionOptions.defaults().withPrivateData(request));
    }

    private MemorySegment data() {
        return memory.segment();
    }

    /** Sends a command and waits for its answer. Returns the status. */
    private int call(byte[] inCapsule, Consumer<SubmissionEntry> fill) {
        MemorySegment capsule = capsules.segment();
        capsule.asSlice(0, SubmissionEntry.LENGTH).fill((byte) 0);
        entry.wrap(capsule, 0).flags(SubmissionEntry.FLAGS_SGL).commandId(++nextId);
        fill.accept(entry);
        MemorySegment.copy(inCapsule, 0, capsule, ValueLayout.JAVA_BYTE, SubmissionEntry.LENGTH, inCapsule.length);
        assertTrue(queuePair.postReceive(1, capsules, DATA - CompletionEntry.LENGTH, CompletionEntry.LENGTH));
        int bytes = SubmissionEntry.LENGTH + inCapsule.length;
        assertTrue(queuePair.postSend(2, capsules, 0, bytes, WrFlags.SIGNALLED));
        boolean invalidate = entry.sglType() == 0x4f;
        boolean received = false;
        boolean sent = false;
        while (!received || !sent) {
            CompletionCursor cursor = take();
            assertTrue(cursor.ok(), cursor::reason);
            if (cursor.wrId() == 1) {
                received = true;
                assertEquals(invalidate, cursor.hasInvalidatedKey());
            } else {
                sent = true;
            }
        }
        response.wrap(capsule, DATA - CompletionEntry.LENGTH);
        assertEquals(nextId, response.commandId());
        if (invalidate) {
            memory.renewKey();
        }
        return response.status();
    }

    private CompletionCursor take() {
        try {
            return completions.take(Duration.ofSeconds(20));
        } catch (TimeoutException e) {
            throw new AssertionError("no answer", e);
        }
    }

    private int keyed(int lengthBytes, Consumer<SubmissionEntry> fill) {
        return call(new byte[0], e -> {
            fill.accept(e);
            e.keyed(memory.address(), lengthBytes, memory.rkey(), true);
        });
    }

    long result() {
        return response.result();
    }

    int connect(String subsystem, int controllerId) {
        new ConnectData()
                .wrap(data(), 0)
                .clear()
                .hostId(new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
                .controllerId(controllerId)
                .subsystemName(subsystem)
                .hostName("nqn.2026-01.org.example:host");
        return keyed(
                ConnectData.LENGTH,
                e -> e.opcode(0x7f)
                        .fabricsType(1)
                        .queueId(queueId)
                        .queueSizeMinusOne(entries - 1)
                        .keepAliveMs(60_000));
    }

    void enable() {
        assertEquals(
                0, call(new byte[0], e -> e.opcode(0x7f).propertyOffset(0x14).propertyValue(0x460001)));
    }

    /** Of the disk; 512 unless set. */
    void blockBytes(int value) {
        blockBytes = value;
    }

    private void blocks(SubmissionEntry e, int opcode, long first, int lengthBytes) {
        e.opcode(opcode).namespaceId(1).firstBlock(first).blocksMinusOne(lengthBytes / blockBytes - 1);
    }

    int write(long block, byte[] bytes) {
        MemorySegment.copy(bytes, 0, data(), ValueLayout.JAVA_BYTE, 0, bytes.length);
        return keyed(bytes.length, e -> blocks(e, 1, block, bytes.length));
    }

    int writeInCapsule(long block, byte[] bytes) {
        return call(bytes, e -> {
            blocks(e, 1, block, bytes.length);
            e.inCapsule(0, bytes.length);
        });
    }

    byte[] read(long block, int lengthBytes) {
        data().fill((byte) 0);
        assertEquals(0, keyed(lengthBytes, e -> blocks(e, 2, block, lengthBytes)));
        return data().asSlice(0, lengthBytes).toArray(ValueLayout.JAVA_BYTE);
    }

    int readStatus(long block, int lengthBytes) {
        return keyed(lengthBytes, e -> blocks(e, 2, block, lengthBytes));
    }

    int flush() {
        return call(new byte[0], e -> {
            e.opcode(0).namespaceId(1);
            e.keyed(0, 0, 0, false);
        });
    }

    @Override
    public void close() {
        connection.close();
        queuePair.close();
        capsules.close();
        memory.close();
        completions.close();
        domain.close();
    }
}
