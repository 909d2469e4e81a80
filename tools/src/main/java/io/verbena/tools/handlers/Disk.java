package io.verbena.tools.handlers;

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
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.zip.CRC32C;

/**
 * The adapter's side of a disk: it receives a command by Send, fetches the block from the host's memory by RDMA Read, computes
 * its checksum, writes it to the file, and answers by Send. Its CQ handler alone drives it.
 */
final class Disk {

    private static final WrFlags QUIET = WrFlags.UNSIGNALLED;
    private static final int BLOCK = HandlersSettings.BLOCK_BYTES;
    private static final int OK = 0;
    private static final int BAD_CHECKSUM = 1;
    private static final int BAD_DEVICE = 2;

    private final CompletionCursor cursor;
    private final QueuePair queuePair;
    private final FileChannel file;
    private final MemoryRegion commands;
    private final MemoryRegion blocks;
    private final ByteBuffer[] views;
    private final CRC32C crc = new CRC32C();
    private long written;
    private volatile String trouble = "";

    Disk(ProtectionDomain domain, CompletionQueue cq, int depth, FileChannel file) {
        this.file = file;
        cursor = cq.cursor();
        queuePair = domain.createQueuePair(QueuePairOptions.of(cq).withDepths(4 * depth, 2 * depth));
        commands = domain.allocate(
                (long) depth * (BlockCommand.BYTES + BlockCommand.ANSWER_BYTES), AccessRight.LOCAL_WRITE);
        blocks = domain.allocate((long) depth * BLOCK, AccessRight.LOCAL_WRITE);
        views = new ByteBuffer[depth];
        for (int slot = 0; slot < depth; slot++) {
            views[slot] = blocks.segment().asSlice((long) slot * BLOCK, BLOCK).asByteBuffer();
            receive(slot);
        }
    }

    QueuePair queuePair() {
        return queuePair;
    }

    /** Blocks written. */
    long written() {
        return written;
    }

    /** What went wrong; empty when nothing did. */
    String trouble() {
        return trouble;
    }

    private void receive(int slot) {
        queuePair.postReceive(slot, commands, (long) slot * BlockCommand.BYTES, BlockCommand.BYTES);
    }

    /** Handles completions, at most this many. */
    void handle(int most) {
        for (int i = 0; i < most && cursor.next(); i++) {
            if (!cursor.ok()) {
                continue; // flushed: the host has disconnected
            }
            int slot = (int) cursor.wrId();
            if (cursor.opcode() == CompletionOpcode.RECEIVE) {
                fetch(slot);
            } else if (cursor.opcode() == CompletionOpcode.READ) {
                store(slot);
            }
        }
    }

    private void fetch(int slot) {
        RemoteRegion block = BlockCommand.block(commands.segment(), (long) slot * BlockCommand.BYTES);
        if (block.length() != BLOCK
                || !queuePair.postRead(
                        slot, blocks, (long) slot * BLOCK, BLOCK, block.address(), block.rkey(), WrFlags.SIGNALLED)) {
            trouble = "a command was for " + block.length() + " bytes, or more commands arrived than there are buffers";
        }
    }

    private void store(int slot) {
        MemorySegment memory = commands.segment();
        long at = (long) slot * BlockCommand.BYTES;
        int tag = BlockCommand.tag(memory, at);
        int status = write(views[slot], BlockCommand.position(memory, at), BlockCommand.crc(memory, at));
        receive(slot);
        long answerAt = (long) views.length * BlockCommand.BYTES + (long) slot * BlockCommand.ANSWER_BYTES;
        BlockCommand.answer(memory, answerAt, tag, status);
        if (!queuePair.postSend(slot, commands, answerAt, BlockCommand.ANSWER_BYTES, QUIET)) {
            trouble = "the send queue was full, so an answer could not be sent";
        }
    }

    private int write(ByteBuffer block, long position, int wanted) {
        crc.reset();
        crc.update(block.clear());
        if ((int) crc.getValue() != wanted) {
            trouble = "the checksum of a block was wrong";
            return BAD_CHECKSUM;
        }
        block.clear();
        try {
            while (block.hasRemaining()) {
                file.write(block, position + block.position());
            }
        } catch (IOException e) {
            trouble = "the file could not be written: " + e.getMessage();
            return BAD_DEVICE;
        }
        written++;
        return OK;
    }
}
