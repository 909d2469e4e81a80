package io.verbena.tools.handlers;

import io.verbena.tools.base.Failure;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.WrFlags;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;

/** The host's side of all disks: keeps the same number of writes under way on each. For one thread. */
final class DiskHost {

    private static final int BLOCK = HandlersSettings.BLOCK_BYTES;

    private final CompletionQueue cq;
    private final CompletionCursor cursor;
    private final QueuePair[] queuePairs;
    private final MemoryRegion blocks;
    private final MemoryRegion messages;
    private final RemoteRegion[] remotes;
    private final int[] crcs;
    private final int depth;
    private long answered;

    DiskHost(ProtectionDomain domain, CompletionQueue cq, int disks, int depth) {
        this.cq = cq;
        this.depth = depth;
        cursor = cq.cursor();
        queuePairs = new QueuePair[disks];
        blocks = domain.allocate((long) depth * BLOCK, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_READ);
        messages = domain.allocate(
                (long) disks * depth * (BlockCommand.BYTES + BlockCommand.ANSWER_BYTES), AccessRight.LOCAL_WRITE);
        remotes = new RemoteRegion[depth];
        crcs = new int[depth];
        fill();
        for (int disk = 0; disk < disks; disk++) {
            queuePairs[disk] = domain.createQueuePair(
                    QueuePairOptions.of(cq).withDepths(2 * depth, 2 * depth).withReads(depth, depth));
            for (int slot = 0; slot < depth; slot++) {
                receive(disk * depth + slot);
            }
        }
    }

    private void fill() {
        SplittableRandom random = new SplittableRandom(4711);
        CRC32C crc = new CRC32C();
        for (int slot = 0; slot < depth; slot++) {
            ByteBuffer block =
                    blocks.segment().asSlice((long) slot * BLOCK, BLOCK).asByteBuffer();
            while (block.hasRemaining()) {
                block.putLong(random.nextLong());
            }
            crc.reset();
            crc.update(block.flip());
            crcs[slot] = (int) crc.getValue();
            remotes[slot] = blocks.remote((long) slot * BLOCK, BLOCK);
        }
    }

    QueuePair queuePair(int disk) {
        return queuePairs[disk];
    }

    /** Writes that the adapter has answered. */
    long answered() {
        return answered;
    }

    private long answersAt() {
        return (long) queuePairs.length * depth * BlockCommand.BYTES;
    }

    private void receive(int tag) {
        queuePairs[tag / depth].postReceive(
                tag, messages, answersAt() + (long) tag * BlockCommand.ANSWER_BYTES, BlockCommand.ANSWER_BYTES);
    }

    /** Starts a write of the tag's block at the tag's place of the file. */
    private void start(int tag) throws Failure {
        long at = (long) tag * BlockCommand.BYTES;
        int slot = tag % depth;
        BlockCommand.write(messages.segment(), at, (long) tag * BLOCK, crcs[slot], tag, remotes[slot]);
        if (!queuePairs[tag / depth].postSend(tag, messages, at, BlockCommand.BYTES, WrFlags.UNSIGNALLED)) {
            throw new Failure("The send queue of the host is full, which its depth should prevent");
        }
    }

    void startAll() throws Failure {
        for (int tag = 0; tag < queuePairs.length * depth; tag++) {
            start(tag);
        }
    }

    /**
     * Takes answers that are there; each lets the next write start.
     *
     * @return whether there was one
     */
    boolean step(boolean goOn) throws Failure {
        boolean any = false;
        while (cursor.next()) {
            if (!cursor.ok()) {
                throw new Failure("A disk write ended early: " + cursor.reason());
            }
            if (cursor.opcode() != CompletionOpcode.RECEIVE) {
                continue;
            }
            any = true;
            long at = answersAt() + cursor.wrId() * BlockCommand.ANSWER_BYTES;
            MemorySegment memory = messages.segment();
            int tag = BlockCommand.answerTag(memory, at);
            if (BlockCommand.answerStatus(memory, at) != 0) {
                throw new Failure(
                        "The disk did not write a block; it answered " + BlockCommand.answerStatus(memory, at));
            }
            answered++;
            receive((int) cursor.wrId());
            if (goOn) {
                start(tag);
            }
        }
        return any;
    }

    CompletionQueue cq() {
        return cq;
    }

    /** Whether what a slot wrote is what is in this block. */
    boolean matches(int tag, ByteBuffer found) {
        int slot = tag % depth;
        return found.mismatch(
                        blocks.segment().asSlice((long) slot * BLOCK, BLOCK).asByteBuffer())
                < 0;
    }
}
