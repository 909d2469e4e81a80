package io.verbena.files;

import io.verbena.files.failure.FileServiceException;
import io.verbena.files.failure.IoReasons;
import io.verbena.files.protocol.FileAttributes;
import io.verbena.files.protocol.FileMessage;
import io.verbena.files.protocol.Sums;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.WrFlags;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;

/**
 * A share of a store: reads a chunk of the local file, writes it by RDMA, and requests the checksum of the chunk at the server.
 * The request follows the Write on the same connection, so the checksum covers what the Write placed.
 */
final class StoreStripe extends Stripe {

    private final FileChannel source;
    private final boolean update;

    /**
     * Creates a share.
     *
     * @param update whether to compare checksums first
     */
    StoreStripe(Link link, RemoteRegion remote, Transfer transfer, FileChannel source, boolean update) {
        super(link, remote, transfer);
        this.source = source;
        this.update = update;
    }

    @Override
    void begin(Slot slot) throws FileServiceException {
        try {
            Sums.readFully(source, offset(slot), buffer(slot).asByteBuffer());
        } catch (EOFException e) {
            throw new FileServiceException("The local file became shorter during the store; run the command again", e);
        } catch (IOException e) {
            throw new FileServiceException("Cannot read the local file: " + IoReasons.of(e), e);
        }
        if (settings.content().verify() || update) {
            slot.crc32c(sums.of(buffer(slot)));
        }
        if (update) {
            askSum(slot);
        } else {
            write(slot);
        }
    }

    private void write(Slot slot) throws FileServiceException {
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
        if (settings.content().verify()) {
            askSum(slot);
        } else {
            askArrived(slot);
        }
    }

    @Override
    void onSum(Slot slot, FileMessage.Summed sum) throws FileServiceException {
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
    void onArrived(Slot slot) throws FileServiceException {
        finish(slot);
    }

    @Override
    void onRead(Slot slot) throws FileServiceException {
        throw new FileServiceException("A completion arrived for a Read that was not posted");
    }

    @Override
    void check(FileAttributes now) {
        // The file is complete only after the commit, whose answer has its attributes.
    }

    @Override
    String what() {
        return "the checksum of what was written";
    }
}
