package io.verbena.tools.fabric;

import io.verbena.fabric.endnode.Endnode;
import io.verbena.storage.wire.CmRequest;
import io.verbena.storage.wire.CompletionEntry;
import io.verbena.storage.wire.ConnectData;
import io.verbena.storage.wire.FabricsType;
import io.verbena.storage.wire.IoOpcode;
import io.verbena.storage.wire.SubmissionEntry;
import io.verbena.tools.base.Failure;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.WrFlags;
import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Consumer;

/** One queue of a simulated host to a disk (NVMe over Fabrics), with a command in each of its slots. */
final class SanDiskQueue {
    /** Entries of an admin queue and of an I/O queue. */
    static final int ENTRIES = 32;

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final long RESPONSES = (long) ENTRIES * SubmissionEntry.LENGTH;
    private static final String HOST_NAME = "nqn.2026-01.io.verbena:simulated-host";
    private static final int HOST_ID_BYTES = 16;

    private final QueuePair queuePair;
    private final CompletionQueue completions;
    private final CompletionCursor cursor;
    private final MemoryRegion messages;
    private final MemoryRegion connectData;
    private final SubmissionEntry entry = new SubmissionEntry();
    private final CompletionEntry response = new CompletionEntry();
    private final int queueId;

    /** Connects a queue to the disk at an address. */
    SanDiskQueue(Endnode from, ProtectionDomain domain, SocketAddress to, int queueId) throws Failure {
        this.queueId = queueId;
        completions = from.rnic().createCompletionQueue(4 * ENTRIES);
        cursor = completions.cursor();
        queuePair = domain.createQueuePair(
                QueuePairOptions.of(completions).withDepths(ENTRIES, ENTRIES).withReads(ENTRIES, 0));
        messages = domain.allocate(RESPONSES + (long) ENTRIES * CompletionEntry.LENGTH, AccessRight.LOCAL_WRITE);
        connectData = domain.allocate(ConnectData.LENGTH, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_READ);
        for (int slot = 0; slot < ENTRIES; slot++) {
            receive(slot);
        }
        byte[] request = new byte[CmRequest.LENGTH];
        new CmRequest()
                .wrap(MemorySegment.ofArray(request), 0)
                .queueId(queueId)
                .receiveQueueSize(ENTRIES)
                .sendQueueSizeMinusOne(ENTRIES - 1);
        try {
            Connection connection = from.rnic()
                    .startConnect(
                            queuePair,
                            to,
                            ConnectionOptions.defaults().withTimeout(PATIENCE).withPrivateData(request));
            connection.awaitEstablished(PATIENCE);
        } catch (ConnectionException e) {
            throw new Failure("The host could not connect to a disk: " + e.getMessage(), e);
        }
    }

    private void receive(int slot) {
        long at = RESPONSES + (long) slot * CompletionEntry.LENGTH;
        queuePair.postReceive(slot, messages, at, CompletionEntry.LENGTH);
    }

    /** Sends a command, whose identifier is the number of its slot. */
    void send(int slot, Consumer<SubmissionEntry> fill) throws Failure {
        long at = (long) slot * SubmissionEntry.LENGTH;
        messages.segment().asSlice(at, SubmissionEntry.LENGTH).fill((byte) 0);
        entry.wrap(messages.segment(), at).flags(SubmissionEntry.FLAGS_SGL).commandId(slot);
        fill.accept(entry);
        if (!queuePair.postSend(slot, messages, at, SubmissionEntry.LENGTH, WrFlags.SIGNALLED)) {
            throw new Failure("The send queue of the host is full, which its slots should prevent");
        }
    }

    /** What to do with an answer. */
    interface Answers {
        void answered(int slot, CompletionEntry answer) throws Failure;
    }

    /**
     * Takes answers that are there.
     *
     * @return whether there was one
     */
    boolean poll(Answers answers) throws Failure {
        boolean any = false;
        while (cursor.next()) {
            if (!cursor.ok()) {
                throw new Failure("A command of a disk ended early: " + cursor.reason());
            }
            if (cursor.opcode() == CompletionOpcode.RECEIVE) {
                any = true;
                int received = (int) cursor.wrId();
                response.wrap(messages.segment(), RESPONSES + (long) received * CompletionEntry.LENGTH);
                int slot = response.commandId();
                if (response.status() != 0 || slot >= ENTRIES) {
                    throw new Failure("A disk answered command " + slot + " with the status 0x"
                            + Integer.toHexString(response.status()));
                }
                answers.answered(slot, response);
                receive(received);
            }
        }
        return any;
    }

    /** Sends a command and waits for its answer. Returns the result. */
    long call(Consumer<SubmissionEntry> fill) throws Failure {
        long[] result = new long[1];
        send(0, fill);
        while (!poll((_, answer) -> result[0] = answer.result())) {
            if (!completions.await(PATIENCE)) {
                throw new Failure("A disk did not answer within " + PATIENCE.toSeconds() + " s of virtual time");
            }
        }
        return result[0];
    }

    /** Connects the queue to a controller. Returns its number. */
    int connect(String subsystem, int controller) throws Failure {
        new ConnectData()
                .wrap(connectData.segment(), 0)
                .clear()
                .hostId(HOST_NAME.substring(HOST_NAME.length() - HOST_ID_BYTES).getBytes(StandardCharsets.US_ASCII))
                .controllerId(controller)
                .subsystemName(subsystem)
                .hostName(HOST_NAME);
        return (int) call(e -> e.opcode(IoOpcode.FABRICS.code())
                .fabricsType(FabricsType.CONNECT.code())
                .queueId(queueId)
                .queueSizeMinusOne(ENTRIES - 1)
                .keyed(connectData.address(), ConnectData.LENGTH, connectData.rkey(), false));
    }
}
