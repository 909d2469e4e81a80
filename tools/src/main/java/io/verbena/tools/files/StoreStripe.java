package io.verbena.tools.files;

import io.verbena.tools.base.Failure;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.WrFlags;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;

/**
 * Stores: reads a chunk of the local file, writes it by RDMA, and asks the server for the checksum of what is there now. The
 * question follows the Write on the same connection, so the answer is about what arrived.
 */
final class StoreStripe extends Stripe {

    private final FileChannel source;
    private final boolean update;

    /**
     * A share.
     *
     * @param update whether to look first if the server has the right bytes already
     */
    StoreStripe(
            Link link,
            RemoteRegion remote,
            Chunks chunks,
            CopySettings settings,
            Tally tally,
            FileChannel source,
            boolean update) {
        super(link, remote, chunks, settings, tally);
        this.source = source;
        this.update = update;
    }

    @Override
    void begin(Slot slot) throws Failure {
        try {
            Sums.readFully(source, offset(slot), buffer(slot).asByteBuffer());
        } catch (EOFException e) {
            throw new Failure("The local file became shorter while it was stored", e);
        } catch (IOException e) {
            throw new Failure("The local file cannot be read: " + IoReasons.of(e), e);
        }
        if (settings.verify() || update) {
            slot.crc32c(sums.of(buffer(slot)));
        }
        if (update) {
            askSum(slot);
        } else {
            write(slot);
        }
    }

    private void write(Slot slot) throws Failure {
        boolean posted = link.queuePair()
                .postWrite(
                        slot.index(),
                        memory,
                        bufferOffset(slot),
                        length(slot),
                        remote,
                        offset(slot),
                        WrFlags.UNSIGNALLED);
        if (!posted) {
            throw full();
        }
        slot.moves();
        tally.movedBytes.add(length(slot));
        if (settings.verify()) {
            askSum(slot);
        } else {
            askArrived(slot);
        }
    }

    @Override
    void onSum(Slot slot, FileMessage.Summed sum) throws Failure {
        boolean right = sum.crc32c() == slot.crc32c();
        if (right && slot.first()) {
            tally.keptBytes.add(length(slot));
        }
        if (right) {
            finish(slot);
            return;
        }
        if (!slot.first()) {
            again(slot);
        }
        write(slot);
    }

    @Override
    void onArrived(Slot slot) throws Failure {
        finish(slot);
    }

    @Override
    void onRead(Slot slot) throws Failure {
        throw new Failure("A Read completed that was not asked for");
    }

    @Override
    void check(FileAttributes now) {
        // The file is whole only after the commit, which tells how it is then.
    }

    @Override
    String what() {
        return "the server's checksum of what was written";
    }
}
